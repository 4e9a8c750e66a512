package sim

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// heldScript counts, at one instant, what the books of a namespace have in flight at their first target, and what of it
// members hold that are alive.
const heldScript = `
local books = KEYS[1]
local alive = 0
for _, name in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local v = redis.call('HGETALL', books .. ':member:' .. name)
  for i = 1, #v, 2 do
    if string.find(v[i], '^%d') and cmsgpack.unpack(v[i + 1])[1] == 1 then alive = alive + 1 end
  end
end
return { cmsgpack.unpack(redis.call('HGET', books, 't1'))[1], alive }`

// checkHeld fails if the books count a grant as in flight that nobody holds who is alive (INV-21). A fleet that sends in pulses has
// moments with nothing in flight, which tell nothing: it looks until there is something, for ten seconds at most.
func checkHeld(t *testing.T, url, namespace string) {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		n, err := c.Eval(context.Background(), heldScript, []string{"{" + namespace + "}:books", "{" + namespace + "}:leases"}).Int64Slice()
		if err != nil {
			t.Fatal(err)
		}
		if n[0] != n[1] {
			t.Errorf("the books have %d in flight, and those alive hold %d", n[0], n[1])
			return
		}
		if n[1] > 0 {
			return
		}
		if time.Since(began) > 10*time.Second {
			t.Error("nothing is in flight for ten seconds: nothing to compare")
			return
		}
	}
}
