"""`python -m millstream.cli` is `millstream`."""

from millstream.cli.main import main

if __name__ == "__main__":
    main()
