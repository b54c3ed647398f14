/** A process that stores one batch, then dies by SIGKILL at the failpoint that its arguments name: `file migrationsDir failpoint`. */
import { RowLimit } from '../core/common/row-limit'
import { ingestBatch } from '../core/ingest/ingest'
import { keysOfBatch, readBatch } from '../core/ingest/read-batch'
import { SessionBudget } from '../core/machines/machine-limits'
import { deciding } from '../core/stream/working-set'
import { envelope } from './fake-agent'
import { text } from './scenario'
import { openTestStore } from './test-store'

const [file = '', migrationsDir = '', failpoint = ''] = process.argv.slice(2)
let armed = false
const store = await openTestStore({
  file,
  migrationsDir,
  failpoint: (name) => {
    if (armed && name === failpoint) process.kill(process.pid, 'SIGKILL')
  },
})
const send = (from: number) => {
  const events = [0, 1, 2].map((i) => envelope(text(`line ${from + i}`), from + i, 1_000))
  const batch = readBatch({ sessionId: 's_1', logId: 'log_1', events })
  const sender = { agentId: 'agt_1', connEpoch: 1, clockOffsetMs: 0 }
  return store.ingest.change(
    keysOfBatch(sender.agentId, batch, null),
    deciding((set) =>
      ingestBatch(set, sender, batch, {
        stopped: false,
        now: 1_000,
        madeSessions: new SessionBudget(),
        unproven: new RowLimit(1),
        account: null,
      }),
    ),
    3,
  )
}
const first = await send(1)
process.stdout.write(`${first.kind === 'stored' ? first.acked : first.code}\n`)
armed = true
const second = await send(4)
process.stdout.write(`${second.kind === 'stored' ? second.acked : second.code}\n`)
