"""`python -m venire` is the command line."""

from venire.cli.main import run

if __name__ == "__main__":
    run()
