"""Limits of redelivery by Starlight's document: back-offs, time-outs, dead letters, rejections."""
