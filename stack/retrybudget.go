package stack

// retryBudget bounds the fleet's retries to a share of its first attempts: every
// first attempt pays in, every retry takes out. Amounts are hundredths of a retry.
type retryBudget struct {
	on            bool
	percent       int64
	balance, most int64
}

func newRetryBudget(r RetryConfig) retryBudget {
	most := int64(r.BudgetBurst) * 100
	return retryBudget{
		on: r.BudgetPercent > 0 || r.BudgetBurst > 0, percent: int64(r.BudgetPercent),
		balance: most, most: max(most, 100),
	}
}

func (b *retryBudget) deposit() {
	b.balance = min(b.most, b.balance+b.percent)
}

// withdraw reports whether one more retry may be sent.
func (b *retryBudget) withdraw() bool {
	if !b.on {
		return true
	}
	if b.balance < 100 {
		return false
	}
	b.balance -= 100
	return true
}
