// Peers that publish on the bus at a steady rate, and an orchestrator that hears all of them. Both ends are in this process,
// so one clock measures the way between them.
import { BusProgram } from './bus-program.mjs'
import { text } from './util.mjs'

const WORDS = 200

/** Each peer has its own token, and subscribes to what concerns a worker. */
export async function tokensOf(target, peers) {
  const tokens = []
  for (let i = 0; i < peers; i++) tokens.push(await target.makeToken(`peer ${i}`, 'worker'))
  return tokens
}

export const messageOf = (peerId, id) => ({
  v: 1,
  id,
  topic: `worker.${peerId}.event`,
  schema: 'worker-event-v1',
  data: { kind: 'LOG', severity: 'info', message: text(WORDS, id.length) },
})

export class Crowd {
  #programs
  #boss
  /** When it was sent, by id. Ids are unique for the whole crowd. */
  #sentAt = new Map()
  #times = new Map()
  #made = 0
  #last = 0
  answered = 0
  /** Ids that the hub said it stored. */
  taken = new Set()
  /** How many answers of each code that is not `ok`. */
  refused = {}
  outOfOrder = 0
  latencies = []

  /** @param tokens of the peers @param boss the token of an orchestrator */
  static async enter(port, tokens, boss) {
    const crowd = new Crowd()
    crowd.#boss = new BusProgram(port, boss.token, (message, now) => crowd.#heard(message, now))
    await crowd.#boss.enter()
    await crowd.#boss.ask('subscribe', { patterns: ['**'] })
    crowd.#programs = []
    for (const { token, tokenId } of tokens) {
      const program = new BusProgram(port, token)
      await program.enter()
      await program.ask('subscribe', { patterns: [`cmd.p_${tokenId}.*`, 'cmd.role.worker', 'task.**'] })
      crowd.#programs.push({ program, peerId: `p_${tokenId}` })
    }
    return crowd
  }

  get size() {
    return this.#programs.length
  }
  get sent() {
    return this.#sentAt.size
  }
  get heard() {
    return this.#times.size
  }
  unheard = () => [...this.taken].filter((id) => !this.#times.has(id)).length
  heardTwice = () => [...this.#times.values()].filter((times) => times > 1).length

  /** One function for each peer: it publishes one message in a frame of its own. */
  senders() {
    return this.#programs.map(({ program, peerId }) => () => {
      const id = `m-${++this.#made}`
      this.#sentAt.set(id, performance.now())
      void program.publish([messageOf(peerId, id)]).then(([code]) => {
        this.answered += 1
        if (code === 'ok') this.taken.add(id)
        else this.refused[code] = (this.refused[code] ?? 0) + 1
      })
    })
  }

  /** Latencies from here on. */
  fresh() {
    this.latencies = []
  }

  close() {
    this.#boss.close()
    for (const { program } of this.#programs) program.close()
  }

  #heard({ id, offset }, now) {
    if (offset <= this.#last) this.outOfOrder += 1
    this.#last = offset
    const at = this.#sentAt.get(id)
    if (at === undefined) return
    this.#times.set(id, (this.#times.get(id) ?? 0) + 1)
    this.latencies.push(now - at)
  }
}
