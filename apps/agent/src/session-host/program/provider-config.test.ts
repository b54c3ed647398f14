// What only a caller on this machine may say (`SpawnOptions.providerConfig`) reaches no program of a session that a hub has.
import { script } from '@roundhouse/adapter-scripted'
import { AskedSettings, Command, routes, SessionSettings, type SpawnOptions } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { HostWorld } from '../../testing/host-world'
import { ProgramRunner, type RunnerPorts } from './program-runner'

const settings = { backend: 'scripted', workDir: '/work', model: 'm', providerConfig: { settingSources: ['project'] } }

describe('[POL-1] a hub that says how a program is to be configured', () => {
  it('has no field for it: in no command, no setting and no body of a route', () => {
    const bodies = Object.values(routes).flatMap((route) => ('body' in route && route.body ? [route.body] : []))
    const said = [Command, SessionSettings, AskedSettings, ...bodies].map((schema) =>
      JSON.stringify(z.toJSONSchema(schema as z.ZodType, { unrepresentable: 'any', io: 'input' })),
    )
    expect(said.filter((text) => text.includes('providerConfig'))).toEqual([])
    expect(SessionSettings.parse(settings)).not.toHaveProperty('providerConfig')
  })

  it('is not heard by a host, whose program would refuse to start with it', async () => {
    const world = await HostWorld.create()
    try {
      const host = await world.open()
      expect(
        await host.run(
          world.create({ providerConfig: { maxTurns: 1 } } as Partial<SessionSettings>, script([{ text: 'Hello.' }])),
        ),
      ).toEqual({
        state: 'done',
      })
      await host.status('idle')
      expect(world.of('process_exited')).toEqual([])
      expect(world.of('turn_completed')).toMatchObject([{ reason: 'completed' }])
    } finally {
      await world.dispose()
    }
  })

  it('is not heard either where the settings that a host stored have it', async () => {
    const spawned: SpawnOptions[] = []
    const adapter = {
      type: 'scripted',
      capabilities: {},
      spawn: async (options: SpawnOptions) => {
        spawned.push(options)
        throw new Error('enough')
      },
    }
    const ports = {
      sessionId: 's',
      journal: { write: async () => {} },
      conversation: { current: { state: 'none' }, goOnWith: () => ({ meta: {} }) },
      wish: { after: () => ({ meta: {} }) },
      guard: { watch: () => {} },
      memory: null,
      newId: () => 'p',
      adapter: async () => adapter,
      settings: { require: () => ({ settings, realWorkDir: '/work' }), refused: () => {} },
      forbids: () => null,
      own: () => ({}),
      changed: () => {},
    } as unknown as RunnerPorts
    await expect(new ProgramRunner(ports).ensure({}, 'hello')).rejects.toThrow('enough')
    expect(spawned).toEqual([{ sessionId: 's', backend: 'scripted', workDir: '/work', model: 'm' }])
  })
})
