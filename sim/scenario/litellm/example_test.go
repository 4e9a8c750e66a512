package litellm_test

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/scenario/litellm"
)

func ExampleImport() {
	r, err := litellm.Import("proxy.yaml", []byte(`
model_list:
  - model_name: house
    litellm_params: {model: openai/gpt-4.1-mini, api_key: sk-secret, rpm: 600, timeout: 30}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Models, "model,", r.Keys, "key")
	for _, n := range r.Notes {
		fmt.Println(n)
	}
	// Output:
	// 1 model, 1 key
	// line 4: model_list[0].litellm_params.timeout: of one deployment: the stack has it for all models alike (stack.timeouts, retry, rotation); left out
}
