import { describe, expect, it } from 'vitest'
import { clientNetwork, widerNetwork } from './client-network'

describe('[T76] who counts as one', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['ana@example.com', 'ana@example.com'],
  ])('%s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network)
  })

  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['ana@example.com', 'ana@example.com'],
  ])('%s is %s where there are too many', (address, network) => {
    expect(widerNetwork(address)).toBe(network)
  })
})
