package scenario

// Limit is the limits of one family. Which of them a vendor can have, its dialect says.
type Limit struct {
	RPM         *Tokens   `yaml:"rpm" jsonschema:"minimum=1" doc:"Requests per minute (default: the tier's; without a tier no limit)."`
	TPM         *Tokens   `yaml:"tpm" jsonschema:"minimum=1" doc:"Tokens per minute, as the dialect counts them; anthropic, gemini: of input (default: the tier's; without a tier no limit)."`
	OTPM        *Tokens   `yaml:"otpm" jsonschema:"minimum=1" doc:"Output tokens per minute, as they are generated: anthropic (default: the tier's; without a tier no limit)."`
	RPD         *Tokens   `yaml:"rpd" jsonschema:"minimum=1" doc:"Requests per day: openai, gemini, openrouter (default: the tier's; without a tier no limit)."`
	TPD         *Tokens   `yaml:"tpd" jsonschema:"minimum=1" doc:"Tokens per day: openai (default: no limit)."`
	Concurrency *int      `yaml:"concurrency" jsonschema:"minimum=1,maximum=1000000" doc:"Calls open at once: deepseek, anthropic (default: the tier's; without a tier no limit)."`
	Quantum     *Duration `yaml:"quantum" jsonschema:"exclusiveMinimum=0s,maximum=1m" doc:"Part of a minute in which no more than its share of rpm is taken: openai, anthropic (default: the whole minute), azure (default 10s)."`
	Spend       *Amount   `yaml:"spend" jsonschema:"exclusiveMinimum=0,maximum=9000000" doc:"USD that the calls of the whole run may cost; then the credit is used up (default: no limit). Not azure."`
	Slope       *Slope    `yaml:"slope" doc:"How fast the tokens per minute may grow: openai, anthropic (default: no limit)."`
}

// Slope is a limit on growth.
type Slope struct {
	From   Tokens    `yaml:"from" jsonschema:"required,minimum=1" doc:"Tokens per minute that are always free."`
	Growth *Share    `yaml:"growth" jsonschema:"exclusiveMinimum=0" doc:"Growth from one period to the next, of the largest minute before (default 50%)."`
	Over   *Duration `yaml:"over" jsonschema:"minimum=1m,maximum=24h" doc:"Length of a period, in whole minutes (default 15m)."`
}

// KnownLimit is what the client's stack takes the limits of one family for.
type KnownLimit struct {
	RPM         *Tokens `yaml:"rpm" jsonschema:"minimum=0" doc:"Requests per minute; 0: none (default: the provider's)."`
	TPM         *Tokens `yaml:"tpm" jsonschema:"minimum=0" doc:"Tokens per minute; 0: none (default: the provider's)."`
	OTPM        *Tokens `yaml:"otpm" jsonschema:"minimum=0" doc:"Output tokens per minute; 0: none (default: the provider's)."`
	RPD         *Tokens `yaml:"rpd" jsonschema:"minimum=0" doc:"Requests per day; 0: none (default: the provider's)."`
	Concurrency *int    `yaml:"concurrency" jsonschema:"minimum=0,maximum=1000000" doc:"Calls open at once; 0: no limit (default: the provider's)."`
}

// LongLimits are the limits of long prompts.
type LongLimits struct {
	From   *Tokens    `yaml:"from" jsonschema:"minimum=1" doc:"Prompts of more tokens count against these limits, in place of the usual ones (default: the catalogue's). All pools say the same of a model."`
	Limits Map[Limit] `yaml:"limits" doc:"Limits by family or model, \"*\" for all others; they override the tier's. Models without any have none of their own."`
}

// Project is a part of an organisation, with limits beside the organisation's.
type Project struct {
	Limits Map[Limit] `yaml:"limits" jsonschema:"required" doc:"Limits by family or model, \"*\" for all others, that the project's keys count against too. Models without any have only those of the keys' group."`
}
