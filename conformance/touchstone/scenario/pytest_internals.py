"""The private parts of pytest that the suite stands on, all of them.

For their sake pyproject.toml bounds the version of pytest from above.
"""

from _pytest._io.saferepr import saferepr, saferepr_unlimited
from _pytest.assertion import util as assertion
from _pytest.runner import runtestprotocol

__all__ = ["assertion", "runtestprotocol", "saferepr", "saferepr_unlimited"]
