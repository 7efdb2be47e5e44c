module tv

go 1.26
