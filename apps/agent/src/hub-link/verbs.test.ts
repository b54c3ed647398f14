import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CommandBody } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { askChallenge } from '../identity/challenge'
import { postJson } from '../identity/hub-http'
import { FakeHub } from '../testing/fake-hub'
import { MemoryPorts } from '../testing/memory-ports'
import { HubLink } from './hub-link'

const protocol = () => readFileSync(path.resolve(import.meta.dirname, '../../../../docs/protocol.md'), 'utf8')

describe('[POL-2] what a hub can ask of a machine', () => {
  let hub: FakeHub
  let link: HubLink
  afterEach(async () => {
    await link.stop()
    await hub.stop()
  })

  it('[POL-2.1] is one of the verbs that the protocol lists; another one is refused and reaches nobody', async () => {
    hub = new FakeHub()
    await hub.start()
    const ports = new MemoryPorts(hub)
    link = new HubLink(ports, {
      askChallenge: ({ hubUrl, hubPublicKey, agentId }) =>
        askChallenge(postJson, hubUrl, { publicKey: hubPublicKey }, agentId),
      random: () => 0,
      onRevoked: () => {},
    })
    link.start()
    await hub.until(() => hub.ready)
    const envelope = { commandId: 'c1', sessionId: 's1', author: { userId: 'u1', name: 'Ana' }, createdAt: 1 }
    for (const kind of ['shell.run', 'process.start', 'exec', '__proto__', 'constructor']) {
      const body = { kind, command: 'touch x', argv: ['touch', 'x'] }
      expect([kind, await hub.command({ ...envelope, body } as never)]).toMatchObject([kind, { ok: false }])
    }
    expect(ports.commands).toEqual([])
    expect(await hub.command({ ...envelope, body: { kind: 'session.stop' } })).toMatchObject({ ok: true })
    expect(ports.commands).toHaveLength(1)
  })
})

describe('the verbs', () => {
  it('[POL-2.1] [POL-2.2] are those of the protocol, and none runs a command line', () => {
    const line = /\*\*Commands\*\* \(dotted imperatives\): `([^`]+)`/.exec(protocol())?.[1] ?? ''
    const listed = line.split(', ').flatMap((group) => {
      const [noun, verbs = ''] = group.split('.')
      return verbs.split('|').map((verb) => `${noun}.${verb}`)
    })
    const known = CommandBody.options.map((option) => option.shape.kind.value)
    expect([...known].sort()).toEqual([...listed].sort())
  })
})
