import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

let hub: FakeHub
let ports: MemoryPorts
let link: HubLink

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  ports = new MemoryPorts(hub)
  link = new HubLink(ports, {
    askChallenge: (identity) =>
      askChallenge(postJson, identity.hubUrl, { publicKey: identity.hubPublicKey }, identity.agentId),
    random: () => 0,
    onRevoked: () => {},
    onPending: () => {},
  })
})
afterEach(async () => {
  await link.stop()
  await hub.stop()
})

describe('what a file refuses', () => {
  it('[LINK-5] while the connection is lost, or made, keeps the agent away no longer', async () => {
    ports.connected = () => {
      throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    }
    link.start()
    await hub.until(() => hub.hellos.length === 1)
    hub.cut()
    await hub.until(() => hub.hellos.length === 3)
  })

  it('[AUD-2] of a head that the hub gives is said, and ends nothing', async () => {
    ports.auditHeads.keep = () => {
      throw new Error('EACCES: permission denied')
    }
    link.start()
    await hub.until(() => hub.hellos.length === 1 && hub.ready)
    hub.push('auditHead', { id: 1, count: 1, hubEpoch: 'epoch-1', at: 1, hash: 'a'.repeat(64), signature: 'x' })
    await ports.until(() =>
      ports.lines.some((line) => line.includes("could not store the head of the hub's audit log")),
    )
    expect(hub.hellos).toHaveLength(1)
  })
})
