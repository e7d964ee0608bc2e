"""Tables as bytes come back as they were."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.kernels.packing import packed, unpacked


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.dictionaries(
            st.text(max_size=3),
            st.sampled_from([np.int8, np.int64, np.bool_, np.uint32]),
            max_size=3,
        ),
        max_size=3,
    ),
    st.integers(0, 5),
)
def test_packed_tables(tables: dict[str, dict[str, type[np.generic]]], rows: int) -> None:
    """What is packed comes back in its types."""
    columns = {
        table: {name: np.arange(rows).astype(kind) for name, kind in types.items()}
        for table, types in tables.items()
    }
    columns_read, numbers = unpacked(packed(columns, {"rows": rows}))
    assert numbers == {"rows": rows}
    for table, types in columns.items():
        assert columns_read[table].keys() == types.keys()
        for name, values in types.items():
            assert columns_read[table][name].dtype == values.dtype
            assert columns_read[table][name].tolist() == values.tolist()
