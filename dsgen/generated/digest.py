"""Which templates, defaults, checks and scripts these are. Written by `make generate`."""

DIGEST = "fc7c56c048e2c1265dfe2be7ba864aef789faa36db6711ea949fde20dd349806"
