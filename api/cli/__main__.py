"""`python -m api.cli`: how the service is started in the background; people type `garage`."""

from api.cli import main

if __name__ == "__main__":
    main()
