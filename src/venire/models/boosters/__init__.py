"""Other people's gradient boosting as one learner each: LightGBM, XGBoost, CatBoost."""
