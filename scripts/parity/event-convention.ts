/** The rows of the event convention of workers, commands and phases. What is not built has no row; `docs/bus.md` names it. */
import { membersOf, type ParityDocument, row } from './rows'

const fields = '[BUS-2] a message gets all eleven fields, the hub’s own among them, and dense offsets'
const twice = '[BUS-2] a repeat is stored once, also within a batch and with other words, and gets the first offset'
const who = '[BUS-3] [BUS-4] what is bad is answered with a code and told, and refuses nothing else of its batch'
const sees = '[BUS-7] delivers to nobody what they may not see, whatever the pattern'
const takes = '%s takes its example, with fields that nobody knows'
const needs = '%s needs each required field, and names it'
const moves = 'from %s takes the moves of the table and no other'
const illegal = '[BUS-6] an illegal phase is refused and told, and a repeat of a legal one is not illegal'
const crash = '[BUS-8] a crash is a last will and a peer that left; the next program is a new life that begins in PLAN'
const ends = '[BUS-8] a session that ends is complete, once, with what it cost'
const behind = '[BUS-2] each published event gets one offset behind the ack, without a wait for the clock'
const silent = 'is stale after 30 s by the hub’s clock, here again when it speaks, and gone after 5 min more'
const left = '[BUS-8] leaves clean, or as a crash, once its last connection is gone'
const beats = '[BUS-2] of heartbeats only the last is kept, and the offsets stay dense'
const either = 'the fields of a kind are read beside it and in `data`; those beside it win'
const asks = 'BLOCKED and REQUEST need the id that their answer names'
const killed =
  '[BUS-2.5] [BUS-7.5] killed between publish and delivery, again and again: none lost, none doubled, the same order on replay'
const flood = '[BUS-5] one that floods is told and named; another publishes meanwhile as before'
const hello = '[BUS-8] says hello, is named, and hears what it asks for from an offset on, in order'
const sum = '[BUS-9] is told once when the workers together cost more than the operator set, in money or in tokens'

const commands = 'is a command of the session: native ones are its own, the others are told to its program'
const spawned =
  '[TREE-3.5] starts a session below it as the person of the orchestrator, where a person allowed that, once for each message'
const envelope = 'v id correlation_id parent_id from_peer from_name terminal_id ts_published ts_server schema data'
const dialogue = 'is replayed once and in the same order, to a subscriber that was there and to one that comes later'

export const eventConvention: ParityDocument = {
  title: 'Event protocol, convention layer',
  about: 'How workers and orchestrators talk. It is the hub’s bus; [bus.md](bus.md) says how it behaves.',
  sections: [
    { heading: 'Envelope', rows: membersOf('envelope', envelope.split(' '), fields) },
    {
      heading: 'Topics',
      rows: [
        row('worker.<peerId>.*', '%s is read'),
        row('cmd.<peerId>.*', sees),
        row(
          'cmd.role.<role>',
          '[BUS-10.6] reaches each session of a role, `worker` or the role of its notes, as one command of each, by the rights of the person',
          'A role is what the notes of a session say; a session without one is a `worker`.',
        ),
        row(
          'task.<taskId>.*',
          '[BUS-4] a worker publishes on a task once an orchestrator assigned it',
          'Roundhouse has no tasks of its own: whoever orchestrates names and assigns them.',
        ),
        row('system.*', who),
        row('`*` and `**`', '%s reaches %s: %s'),
      ],
    },
    {
      heading: 'Schemas',
      rows: [
        row('Nineteen schemas', 'are nineteen'),
        row('Unknown fields are ignored', takes, 'They are delivered as they came.'),
        row('Required fields', needs),
        row('worker-boot-v1', behind, 'Of a managed session, the hub makes it.'),
        row('worker-phase-v1', illegal),
        row('worker-event-v1', fields),
        row('worker-heartbeat-v1', beats),
        row('worker-complete-v1', ends),
        row('cmd-*-v1', 'of commands are all taken for a role, whatever its name, and no other is'),
        row('system-peer-joined-v1', hello),
        row('system-peer-left-v1', left),
        row('system-peer-stale-v1', silent),
        row('system-gate-fired-v1', illegal),
        row('system-budget-warning-v1', sum, 'It counts tokens too: not every program reports its cost.'),
        row('system-malformed-received-v1', who),
        row('A version that nobody knows', 'are told apart by version: v2 and strangers are unknown'),
      ],
    },
    {
      heading: 'Kinds of worker events',
      rows: [
        ...membersOf('kind', ['BLOCKED', 'REQUEST'], asks),
        ...membersOf('kind', ['HARVEST', 'DECISION', 'PROGRESS'], either),
        row('kind.ERROR', crash),
        row('kind.LOG', fields),
        row('Kinds that are new', 'a kind that nobody knows yet is delivered'),
      ],
    },
    {
      heading: 'Phases',
      rows: [
        row('The eight phases and FAILED, and their moves', moves),
        row('FAILED from any phase that is not terminal', 'FAILED is reached from PLAN'),
        row('The arrow from OBSERVE to SPAWN', 'OBSERVE leads back to SPAWN'),
        row('RECOVER exits to the same phase', 'RECOVER leads back to SPAWN'),
        row('PLAN is the only entry', 'the first phase may be DEPLOY, with prev SPAWN'),
        row('Terminal phases', 'ends in REFLECT and FAILED'),
        row('Illegal moves fire a gate', illegal),
      ],
    },
    {
      heading: 'Commands',
      rows: [
        ...membersOf(
          'cmd.<peerId>',
          ['approve', 'reject', 'set_phase'],
          commands,
          'Told to the program of the session.',
        ),
        row('cmd.<peerId>.abort', commands, 'It stops the session.'),
        row('cmd.<peerId>.pause', commands, 'It interrupts the turn, which holds the queue.'),
        row('cmd.<peerId>.resume', commands, 'It releases the queue.'),
        row('cmd.<peerId>.inject_text', commands, 'It is a prompt.'),
        row(
          'cmd.<peerId>.spawn',
          spawned,
          'To another program it is delivered. For a session it starts a child, if a person allowed that session to start others.',
        ),
        row('`correlation_id` of an answer', commands),
      ],
    },
    {
      heading: 'Rules',
      rows: [
        row('Workers publish on their own topics only', who),
        row('Only orchestrators publish on `cmd.*`', who),
        row('Only the server publishes on `system.*`', who),
        row('A `from_peer` that is not the publisher’s is refused', who),
        row('Subscribers may subscribe to anything', sees, 'To any pattern; what they may not see is not delivered.'),
        row('Dedup by `id`', twice),
        row('A worker silent for 30 s is stale', silent),
        row('`peer.left` on socket close', left),
        row('The last will', crash),
        row('Replay', killed, 'From the hub’s table, from any offset, instead of a file.'),
        row('The dialogue of section 14', dialogue),
      ],
    },
    {
      heading: 'Gaps that the document names',
      rows: [
        row('Gap: throttling', flood),
        row('Gap: at-least-once delivery', killed),
        row('Gap: across machines', '[BUS-2] sessions on two machines are on one bus, in one order'),
        row('Gap: authentication', '[BUS-8] says nothing before hello, and nobody enters without a right to speak'),
        row(
          'Gap: schema validation',
          '[BUS-3.4] [BUS-4] bad input over the socket and over REST is answered with a code, and the peer stays',
        ),
      ],
    },
  ],
}
