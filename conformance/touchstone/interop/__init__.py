"""Whether clients understand each other: every pair of them as producer and consumer."""
