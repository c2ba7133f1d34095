"""What a chain of operators may be."""

import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")

from albic.jobs.chained import Chain
from albic.model import InvalidInput


def test_every_operator_has_the_key_groups_of_the_load() -> None:
    assert Chain().key_groups == Chain().load.key_groups == 8


@pytest.mark.parametrize("wrong", [{"operators": 1}, {"kib": 0}, {"work": -1}])
def test_a_chain_that_cannot_be_is_refused(wrong) -> None:
    with pytest.raises(InvalidInput, match="2 operators or more"):
        Chain(**wrong)
