package mixed
