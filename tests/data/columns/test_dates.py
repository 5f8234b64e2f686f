"""Dates as they are written, and their parts against the calendar of the standard library."""

from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.columns.dates import FORMATS, from_numbers, parse_dates, parse_dates_as, part_of

MOMENT = datetime(2024, 12, 31, 23, 59, 58)


@pytest.mark.parametrize("date_format", FORMATS)
def test_every_listed_format_is_found(date_format):
    texts = [MOMENT.strftime(date_format.replace("%z", "+00:00").replace("%f", "000000"))] * 2
    parsed = parse_dates(texts)
    expected = MOMENT
    if "%S" not in date_format:
        expected = expected.replace(second=0)
    if "%H" not in date_format and "%I" not in date_format:
        expected = expected.replace(hour=0, minute=0)
    if "%d" not in date_format:
        expected = expected.replace(day=1)
    assert parsed.values[0] == np.datetime64(expected)
    again = parse_dates_as([texts[0], "no date"], parsed.format)
    assert again[0] == parsed.values[0]
    assert np.isnat(again[1])


def test_time_zones_become_utc():
    parsed = parse_dates(["2024-01-01T01:00:00+02:00", "2024-01-01T01:00:00-0300"])
    assert parsed.values.tolist() == [datetime(2023, 12, 31, 23), datetime(2024, 1, 1, 4)]


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_parts_agree_with_the_standard_library(moment):
    stamps = np.array([moment, None], dtype="datetime64[us]")
    expected = {
        "year": moment.year, "month": moment.month, "day": moment.day, "weekday": moment.weekday(),
        "day_of_year": moment.timetuple().tm_yday, "hour": moment.hour, "minute": moment.minute,
    }  # fmt: skip
    for part, value in expected.items():
        values = part_of(stamps, part)
        assert values[0] == value
        assert np.isnan(values[1])
    days = (moment - datetime(1970, 1, 1)).total_seconds() / 86400
    assert part_of(stamps, "days")[0] == pytest.approx(days, abs=1e-6)


@pytest.mark.parametrize("texts", [["3.14", "2.72"], ["2011", "2012"], ["a-b-c"], ["1/2"], ["31/31/2011"], []])
def test_what_is_no_date(texts):
    assert parse_dates(texts) is None


def test_dates_as_numbers():
    assert from_numbers(np.array([20240131.0, np.nan]))[0] == np.datetime64("2024-01-31")
    assert from_numbers(np.array([1_700_000_000.0]))[0] == np.datetime64("2023-11-14T22:13:20")
    assert from_numbers(np.array([20241399.0])) is None
    assert from_numbers(np.array([1.5])) is None
    assert from_numbers(np.array([np.nan])) is None
