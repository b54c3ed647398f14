import { afterEach, expect, it } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { inGroups } from '../identity/fingerprint'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

const hub = new FakeHub()
let link: HubLink | undefined
afterEach(async () => {
  await link?.stop()
  await hub.stop()
})

it('[LINK-1] of a hub whose key is not the pinned one the log names both fingerprints, and what to do', async () => {
  await hub.start()
  const pinned = new FakeHub()
  const ports = new MemoryPorts(hub)
  link = new HubLink(ports, {
    askChallenge: ({ hubUrl, agentId }) => askChallenge(postJson, hubUrl, { publicKey: pinned.publicKey }, agentId),
    random: () => 0,
    onRevoked: () => {},
  })
  link.start()
  await ports.until(() => ports.lines.length > 0)
  const both = `${inGroups(hub.fingerprint)} but the expected fingerprint is ${inGroups(pinned.fingerprint)}`
  expect(ports.lines[0]).toMatch(new RegExp(`${both}.*--replace`))
})
