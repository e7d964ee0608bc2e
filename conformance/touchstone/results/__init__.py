"""Allure's own page of one or several runs: optional, since it needs Node and npm.

Its version is pinned by `package-lock.json` beside this file; `tool` gets it, `page` uses it.
"""
