/** A machine, or a hub, whose process can open nothing for a while: nothing ends, nothing is lost, and it goes on by itself. */
import http from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../support/common/until'
import { noDescriptorLimits, starve } from '../support/processes/descriptors'
import { faultsOf, settled } from '../support/rigs/accounts'
import { Place } from '../support/rigs/place'

let place: Place
afterEach(async () => {
  await place?.dispose()
})

describe.skipIf(noDescriptorLimits !== null)('without descriptors', () => {
  it('[FLOW-5.1] [FLOW-5.3] a daemon stays, its neighbours are answered, and the prompts begin when there is room', async () => {
    place = await Place.start()
    const machine = await place.join('bench', { up: ['--idle-ms', '400'] })
    const { agent } = machine
    const asking = await place.begin(machine, [
      { tool: 'Write', input: { file_path: 'asked.txt', content: 'x' } },
      { text: 'After the question.' },
    ])
    const ask = await place.asked(asking)
    const resting = await Promise.all([1, 2].map((one) => place.begin(machine, [{ text: `First ${one}.` }])))
    await until('the sessions to rest', () => resting.every((id) => place.texts(id).length > 0 && !agent.hasHost(id)))

    const { pid } = agent
    const feed = starve(pid)
    await Promise.all(resting.map((id, at) => place.prompt(id, [{ text: `Second ${at}.` }])))
    await until('both to be tried', () =>
      resting.every((id) => new RegExp(`${id}: prompt.send failed: .*EMFILE`).test(agent.output)),
    )
    await place.allow(ask)
    await until('the answer to be applied', () => place.texts(asking).includes('After the question.'))
    expect([agent.running, agent.pid, (await place.view(machine)).online]).toEqual([true, pid, true])
    feed()

    for (const [at, id] of resting.entries()) {
      await until('the second answer', () => place.texts(id).includes(`Second ${at}.`))
      expect(place.texts(id).filter((text) => text.startsWith('Second'))).toHaveLength(1)
    }
    for (const id of [asking, ...resting]) {
      await settled(place, machine, id)
      expect(await faultsOf(place, machine, id)).toEqual([])
    }
    expect(agent.pid).toBe(pid)
  })

  it('[FLOW-5.10] the pages of a hub come when there is room again, after a first load that failed', async () => {
    place = await Place.start()
    await place.hub.kill()
    await place.hub.start() // nobody has looked at a page of this process
    const kept = new http.Agent({ keepAlive: true, maxSockets: 1 })
    expect(await get('/api/v1/ready', kept)).toBe(200)
    const feed = starve(place.hub.pid)
    expect(await get('/', kept)).toBe(503)
    expect(await get('/setup', kept)).toBe(503)
    feed()
    await until('the pages', async () => (await get('/setup')) === 200)
    expect(await Promise.all(['/', '/setup', '/sign-in', '/sessions'].map((page) => get(page)))).not.toContain(503)
    kept.destroy()
  })
})

/** The status, over a connection that is open already where one is given. */
function get(page: string, agent?: http.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(place.hub.url + page, agent ? { agent } : {}, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    request.once('error', reject)
  })
}
