"""Results of runs: their folders, and the reports made from them; Allure's page is optional (Node).

The version of Allure is pinned by `package-lock.json` beside this file.
"""
