/** `npm start` seen from outside: its hub outlives whatever happens to its agent. */
import { mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { smallDisk } from '../support/damage/failing-disk'
import { isAlive, StartCommand } from '../support/processes/start-command'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

describe('npm start', () => {
  variation('keeps the hub when its agent ends again and again, and when it cannot start any more', async () => {
    const command = new StartCommand()
    try {
      const started = await command.start()
      await command.makeOwner()
      const client = await command.client()
      const online = async () => (await client.rest.agents()).items[0]?.online === true
      const hub = command.hub.pid
      const hubLives = () => expect({ npmStart: started.alive, hub: isAlive(hub) }, started.output).toEqual(both)
      for (let n = 0; n < (wholeMatrix ? 5 : 2); n += 1) {
        const { pid } = command.daemon
        process.kill(pid, 'SIGKILL')
        await until('another agent', () => !started.alive || command.daemon.pid !== pid, 40_000)
        hubLives()
      }
      await until('the agent to be back', online)
      // From now on it has no identity, which nothing makes anew.
      const identity = path.join(path.dirname(command.workspace), 'agent/state/identity.json')
      renameSync(identity, `${identity}-away`)
      mkdirSync(identity)
      process.kill(command.daemon.pid, 'SIGKILL')
      await until('the hub to miss it', async () => !(await online()))
      const starts = () => started.output.split('is started again').length
      const before = starts()
      await until('it to be started in vain, twice', async () => {
        await client.rest.health()
        hubLives()
        return starts() >= before + 2
      })
      client.close()
    } finally {
      await command.dispose()
    }
  })

  it('[STORE-7.14] says that the disk is full, and starts when there is room', async (context) => {
    const disk = smallDisk(16)
    if (typeof disk === 'string') return context.skip(disk)
    const command = new StartCommand()
    try {
      disk.fill()
      const started = command.run({ ROUNDHOUSE_DATA_DIR: path.join(disk.folder, 'hub') })
      await until('it to say so', () => /The disk of .* is full\. Roundhouse starts/.test(started.output))
      disk.free()
      await until('it to run', () => started.output.includes('Ctrl-C to stop'), 90_000)
      expect(started.output.match(/is full/g)).toHaveLength(1)
    } finally {
      disk.free()
      await command.dispose()
      disk.close()
    }
  })
})

const both = { npmStart: true, hub: true }
