"""A release: `make release` builds it into `dist`, tries it out, sums it up; it uploads nothing."""
