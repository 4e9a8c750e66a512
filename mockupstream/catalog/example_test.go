package catalog_test

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

func ExampleCatalog_Model() {
	c, err := catalog.Load()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := c.Model("gpt-4.1")
	t, _ := m.Tier("tier2")
	fmt.Println(m.Vendor, m.ContextWindow, m.Price.Input, t.RPM, t.TPM)
	// Output: openai 1047576 2000000 5000 450000
}
