"""Work on other machines, by Dask's `distributed`: what travels, who may work, and what happens when they are gone.

Nothing here knows what the work is: trials are sent by `validation/trials/workers/afar.py`.
"""
