// Loaded into a hub before its own code. Files say by how much each of its clocks is ahead, and which addresses names have.
const { readFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const dns = require('node:dns')

const { clock, passed, names } = JSON.parse(process.env.ROUNDHOUSE_TEST_WORLD)
const now = Date.now.bind(Date)
Date.now = () => now() + Number(readFileSync(clock, 'utf8'))
const elapsed = performance.now.bind(performance)
performance.now = () => elapsed() + Number(readFileSync(passed, 'utf8'))

const known = JSON.parse(readFileSync(names, 'utf8'))
const { lookup } = dns.promises
dns.promises.lookup = async (name, options) => {
  const addresses = known[name]
  if (!addresses) return lookup(name, options)
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
syncBuiltinESMExports()
