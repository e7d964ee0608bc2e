"""What a row or a subscription means in the terms of docs/volume.md, one row at a time."""
