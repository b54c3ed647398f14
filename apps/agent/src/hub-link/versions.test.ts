import { afterEach, expect, it } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

let hub: FakeHub
let link: HubLink
afterEach(async () => {
  await link.stop()
  await hub.stop()
})

it('[VER-1.2] [T6] [F33] keeps its log while the hub speaks none of its versions, says which, and sends it all later', async () => {
  hub = new FakeHub()
  hub.protocols = [2]
  await hub.start()
  const ports = new MemoryPorts(hub)
  ports.fill('s1', 100)
  link = new HubLink(ports, {
    askChallenge: ({ hubUrl, hubPublicKey, agentId }) =>
      askChallenge(postJson, hubUrl, { publicKey: hubPublicKey }, agentId),
    random: () => -0.98, // half a minute without a hub that it understands becomes 0.3 s
    onRevoked: () => {},
  })
  link.start()
  await hub.until(() => hub.connections >= 2)
  expect(ports.lines.join('\n')).toContain('This hub speaks protocol version 2')
  expect({ reports: hub.reports, batches: hub.batches, reads: ports.reads }).toEqual({
    reports: [],
    batches: [],
    reads: 0,
  })
  hub.protocols = [1, 2]
  await hub.until(() => hub.seqs('s1').length === 100)
  expect(hub.seqs('s1')).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
})
