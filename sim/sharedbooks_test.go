package sim

import (
	"context"
	"testing"

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

// checkHeld fails if the books count a grant as in flight that nobody holds who is alive (INV-21).
func checkHeld(t *testing.T, url, namespace string) {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer c.Close()
	n, err := c.Eval(context.Background(), heldScript, []string{"{" + namespace + "}:books", "{" + namespace + "}:leases"}).Int64Slice()
	if err != nil {
		t.Fatal(err)
	}
	if n[0] != n[1] || n[1] == 0 {
		t.Errorf("the books have %d in flight, and those alive hold %d", n[0], n[1])
	}
}
