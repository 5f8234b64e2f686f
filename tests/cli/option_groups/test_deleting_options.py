def test_options_of_deleting_that_do_not_go_together(venire):
    assert "go with --prune" in venire("runs", "--older-than", "3d").err
    assert "two ways of deleting" in venire("runs", "--prune", "--delete", "x").err
    assert "'3x' is not a time such as 30d" in venire("runs", "--prune", "--older-than", "3x").err
    assert "'-2GB' is not a size such as 2GB" in venire("runs", "--prune", "--larger-than=-2GB").err
    assert venire("runs", "--delete", "zzz").code == 2
