// A TCP proxy that can swallow every byte without closing anything, as a dead network does.
import net from 'node:net'

export async function blackHoleProxy(toPort) {
  let hole = false
  const pairs = new Set()
  const end = (pair) => {
    pairs.delete(pair)
    pair.near.destroy()
    pair.far.destroy()
  }
  const server = net.createServer((near) => {
    if (hole) {
      near.destroy()
      return
    }
    const pair = { near, far: net.connect(toPort, '127.0.0.1'), dead: false }
    pairs.add(pair)
    const { far } = pair
    near.on('data', (chunk) => pair.dead || far.write(chunk))
    far.on('data', (chunk) => pair.dead || near.write(chunk))
    for (const socket of [near, far]) socket.on('close', () => end(pair)).on('error', () => end(pair))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    cut() {
      hole = true
      for (const pair of pairs) pair.dead = true
    },
    heal() {
      hole = false
      for (const pair of [...pairs]) end(pair)
    },
    close() {
      for (const pair of [...pairs]) end(pair)
      server.close()
    },
  }
}
