/** The rows of the event convention of workers, commands and phases. What is not built has no row; `docs/bus.md` names it. */
import { commandRows, kindRows, schemaRows } from './event-schemas'
import { membersOf, type ParityDocument, row } from './rows'

const fields = '[BUS-2] a message gets all eleven fields, the hub’s own among them, and dense offsets'
const twice = '[BUS-2] a repeat is stored once, also within a batch and with other words, and gets the first offset'
const who = '[BUS-3] [BUS-4] what is bad is answered with a code and told, and refuses nothing else of its batch'
const sees = '[BUS-7] delivers to nobody what they may not see, whatever the pattern'
const reads = '%s is read'
const refuses = 'refuses %s with a code and the place'
const moves = 'from %s takes the moves of the table and no other'
const illegal = '[BUS-6] an illegal phase is refused and told, and a repeat of a legal one is not illegal'
const crash = '[BUS-8] a crash is a last will and a peer that left; the next program is a new life that begins in PLAN'
const either =
  '[BUS-8.3] a session whose program crashed leaves its last will, and is not complete as well when it ends'
const ends = '[BUS-6.5] [BUS-8] a session that ends is complete, once, with its phases and what it cost'
const boots = '[BUS-2] each published event gets one offset behind the ack, without a wait for the clock'
const beats = '[BUS-4.4] the heartbeat of a session is made from its events, and stands in the list of peers'
const silent = 'is stale after 30 s by the hub’s clock, here again when it speaks, and gone after 5 min more'
const left = '[BUS-8] leaves clean, or as a crash, once its last connection is gone'
const killed =
  '[BUS-2.5] [BUS-7.5] killed between publish and delivery, again and again: none lost, none doubled, the same order on replay'
const printed =
  '[BUS-11.1] [BUS-11.3] the hub is killed under both, again and again: each message is published once and printed once, in order'
const flood = '[BUS-5] one that floods is told and named; another publishes meanwhile as before'
const hello = '[BUS-8] says hello, is named, and hears what it asks for from an offset on, in order'
const spawned =
  '[TREE-3.5] starts a session below it as the person of the orchestrator, where a person allowed that, once for each message'
const toRole =
  '[BUS-10.6] reaches each session of a role, `worker` or the role of its notes, as one command of each, by the rights of the person'
const asTool = '[BUS-6.5] completes with the phases that it went through'
const old = 'keeps up with any rate: all that is old is gone at the next minute, in steps, and what is newer stays'
const versions = 'are told apart by version: v2 and strangers are unknown'
const envelope = 'v id correlation_id parent_id from_peer terminal_id ts_published ts_server schema data'
const named =
  'The label stands behind person and token, `Ana (ci: worker-X)`, so that no program passes for a person or the hub.'
const dialogue = 'is replayed once and in the same order, to a subscriber that was there and to one that comes later'
const badInput = '[BUS-3.4] [BUS-4] bad input over the socket and over REST is answered with a code, and the peer stays'

export const eventConvention: ParityDocument = {
  title: 'Event protocol, convention layer',
  about: 'How workers and orchestrators talk. It is the hub’s bus; [bus.md](bus.md) says how it behaves.',
  sections: [
    {
      heading: 'Envelope',
      rows: [
        ...membersOf('envelope', envelope.split(' '), fields),
        row('envelope.from_name', fields, named),
        row('The version of the envelope is 1', refuses, 'Another one is refused: nobody knows what it means.'),
        row('Ids are UUIDs', 'ids are words and need not be UUIDs', 'The document’s own examples are none.'),
        row('A `from_peer` that is missing is added', fields),
      ],
    },
    {
      heading: 'Topics',
      rows: [
        row('worker.<peerId>.*', reads),
        row('cmd.<peerId>.*', sees),
        row(
          'cmd.role.<role>',
          toRole,
          'A role is what the notes of a session say; a session without one is a `worker`.',
        ),
        row(
          'task.<taskId>.*',
          '[BUS-4] a worker publishes on a task once an orchestrator assigned it',
          'Roundhouse has no tasks of its own: whoever orchestrates names and assigns them.',
        ),
        row('system.*', who),
        row('`*` and `**`', '%s reaches %s: %s'),
        row('Lowercase', reads, 'Capital letters are taken as well: the ids of peers have them.'),
      ],
    },
    {
      heading: 'Schemas',
      rows: [
        row('Nineteen schemas', 'are nineteen'),
        row('A schema belongs on one topic', 'belong on their own topics'),
        row('Unknown fields are ignored', '%s takes its example, with fields that nobody knows'),
        row('Unknown fields are delivered as they came', 'keeps its fields, and what its data has beyond the schema'),
        row(
          'How long a value may be',
          'refuses 64 KiB and one byte, and takes 64 KiB, counted in UTF-8',
          'The document does not say. Here a message has 64 KiB, and each text and list a limit far above the examples, in `packages/bus`.',
        ),
        row('A version that nobody knows', versions),
        row(
          'A new topic is no breaking change',
          refuses,
          'A hub takes the topics that it knows, and a reader hears a newer hub’s by its pattern.',
        ),
        ...schemaRows,
      ],
    },
    { heading: 'Kinds of worker events', rows: kindRows },
    {
      heading: 'Phases',
      rows: [
        ...membersOf(
          'phase',
          ['PLAN', 'SPAWN', 'DEPLOY', 'OBSERVE', 'RECOVER', 'HARVEST', 'CLEANUP', 'REFLECT', 'FAILED'],
          moves,
        ),
        ...[
          'PLAN → SPAWN',
          'SPAWN → DEPLOY, RECOVER, FAILED',
          'DEPLOY → OBSERVE, RECOVER, FAILED',
          'OBSERVE → HARVEST, RECOVER, FAILED',
          'RECOVER → DEPLOY, OBSERVE, FAILED',
          'HARVEST → CLEANUP, FAILED',
          'CLEANUP → REFLECT, FAILED',
        ].map((move) => row(move, moves)),
        row('FAILED from any phase that is not terminal', 'FAILED is reached from PLAN'),
        row('The arrow from OBSERVE to SPAWN', 'OBSERVE leads back to SPAWN'),
        row('RECOVER exits to the same phase', 'RECOVER leads back to SPAWN'),
        row(
          'PLAN is the only entry',
          'the first phase may be DEPLOY, with prev SPAWN',
          'A worker is in PLAN without saying so. It may announce it, with `prev` PLAN.',
        ),
        row('Terminal phases', 'ends in REFLECT and FAILED'),
        row('Illegal moves fire a gate, and may be rejected', illegal, 'They are rejected.'),
      ],
    },
    { heading: 'Commands', rows: commandRows },
    {
      heading: 'Life of a peer',
      rows: [
        row('A worker publishes `boot` first, and once', boots, 'For a managed session, the hub does.'),
        row(
          'A worker that skips `boot` is invisible',
          hello,
          'Not here: whatever a peer says first begins its life, so nobody is overlooked.',
        ),
        row('A worker publishes each phase', asTool, 'By the tool `publish_phase`; the hub guesses no phase.'),
        row('The order boot, phases, complete', dialogue),
        row('A worker publishes `complete` before it disconnects', ends, 'For a managed session, the hub does.'),
        row(
          '`complete` and a fatal ERROR exclude each other',
          either,
          'Of a program with a token, both are delivered.',
        ),
        row(
          'A worker that skips `complete` looks crashed',
          left,
          'It looks crashed when its connection breaks; one that says `bye` or closes its socket left clean.',
        ),
        row(
          'A heartbeat at least every 30 s',
          beats,
          'Of a managed session it is made when somebody asks, and is no message; the hub watches the session’s machine instead.',
        ),
        row('A worker silent for 30 s is stale', silent),
        row('Any frame is a sign of life', '[BUS-8.4] each frame is a sign of life, whatever it asks'),
        row('`peer.left` on socket close', left),
        row('The last will', crash, 'The ERROR of section 7. A heartbeat keeps a `severity` and means nothing by it.'),
        row('A tree of sessions by `parent_id`', spawned, '`GET /api/v1/peers` has it as `parentId`.'),
        row(
          'A tree of workers by `parent_id`',
          '[BUS-8.12] a program is below the peer that its boot names, if its person sees that one',
        ),
        row(
          'Heartbeats pause in a terminal phase and after `complete`',
          '[BUS-8.4] [BUS-8.5] that is %s has no more to say: it is never stale, and has left after 5 min: %s',
        ),
        row('A `correlation_id` may span the tree', fields, 'The hub keeps it, whoever uses it.'),
      ],
    },
    {
      heading: 'Rules',
      rows: [
        row('Workers publish on their own topics only', who),
        row(
          'Error: publish forbidden — not your topic',
          'says why in the words of the convention',
          'With a colon, in `error.message`; `error.code` is `TOPIC_FORBIDDEN`.',
        ),
        row('Only orchestrators publish on `cmd.*`', who),
        row('Only the server publishes on `system.*`', who),
        row('A `from_peer` that is not the publisher’s is refused', who),
        row('Subscribers may subscribe to anything', sees, 'To any pattern; what they may not see is not delivered.'),
        row('Dedup by `id`', twice),
        row('Replay', killed, 'From the hub’s table, from any offset, instead of a file.'),
        row('A sidecar writes each event as a line of JSON', printed, '`roundhouse-agent subscribe`.'),
        row('Rotation is the user’s', old, 'The hub removes messages after 30 days, or as the operator says.'),
        row('An orchestrator subscribes to `worker.**` and `system.**`', hello),
        row('An orchestrator aborts all workers by `cmd.role.worker`', toRole),
        row('Text for all workers of a role by `inject`', toRole),
        row('The dialogue of section 14', dialogue),
        row(
          'Its messages lack fields that section 6 requires',
          '%s takes each field of the example, is refused without a required one, and with another type of any',
          'The table holds: a shortened message is refused, and the answer names the field.',
        ),
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
          'Gap: encryption',
          '[T83] [A6] does not listen beyond this machine without TLS in front: %j',
          'TLS is the proxy’s.',
        ),
        row('Gap: schema validation by the server', badInput),
        row(
          'Gap: schema validation before publish',
          '[TOOL-3.3] may be a move that the table does not have: it is in the log, the program is told, and it does not count',
          'The session host checks what its program says with the code of the hub. For other programs the hub’s answer says it.',
        ),
      ],
    },
  ],
}
