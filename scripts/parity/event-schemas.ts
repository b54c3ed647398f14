/** Of the event convention: the fields of its schemas, of the kinds of events, and its commands. */
import { membersOf, type ParityRow, row } from './rows'

const types = '%s takes each field of the example, is refused without a required one, and with another type of any'
const kinds = '%s takes its example, and its own fields are read beside it and in `data`'
const unread = 'Delivered as it came. The hub reads none of it.'

const fields = '[BUS-2] a message gets all eleven fields, the hub’s own among them, and dense offsets'
const boots = '[BUS-2] each published event gets one offset behind the ack, without a wait for the clock'
const illegal = '[BUS-6] an illegal phase is refused and told, and a repeat of a legal one is not illegal'
const last = '[BUS-2] of heartbeats only the last is kept, and the offsets stay dense'
const ends = '[BUS-6.5] [BUS-8] a session that ends is complete, once, with its phases and what it cost'
const commands = 'is a command of the session: native ones are its own, the others are told to its program'
const spawned =
  '[TREE-3.5] starts a session below it as the person of the orchestrator, where a person allowed that, once for each message'
const hello = '[BUS-8] says hello, is named, and hears what it asks for from an offset on, in order'
const left = '[BUS-8] leaves clean, or as a crash, once its last connection is gone'
const silent = 'is stale after 30 s by the hub’s clock, here again when it speaks, and gone after 5 min more'
const sum = '[BUS-9] is told once when the workers together cost more than the operator set, in money or in tokens'
const who = '[BUS-3] [BUS-4] what is bad is answered with a code and told, and refuses nothing else of its batch'

/** A schema, and each of its fields. */
const schema = (name: string, test: string, members: string, note?: string): ParityRow[] => [
  row(name, test, note),
  ...membersOf(name, members.split(' ').filter(Boolean), types),
]

export const schemaRows: ParityRow[] = [
  ...schema(
    'worker-boot-v1',
    boots,
    'model role mission_summary cwd terminal_id parent_peer_id capabilities',
    'Of a managed session, the hub makes it.',
  ),
  ...schema('worker-phase-v1', illegal, 'phase prev transition_reason phases_completed metadata'),
  ...schema('worker-event-v1', fields, 'kind message request_id'),
  row('worker-event-v1.severity', 'an event may be of severity %s'),
  ...schema(
    'worker-heartbeat-v1',
    last,
    'current_phase time_in_phase_ms tokens_used cost_usd last_event_id active_sub_workers',
  ),
  ...schema('worker-complete-v1', ends, 'summary artifacts phases_completed total_tokens total_cost_usd duration_ms'),
  row('worker-complete-v1.result', types, 'A word of the worker’s own: it is published when a worker fails, too.'),
  ...schema('cmd-approve-v1', commands, 'correlation_id'),
  row('cmd-approve-v1.payload', commands, 'Told to the program with all other fields.'),
  ...schema('cmd-reject-v1', commands, 'correlation_id reason'),
  ...schema('cmd-abort-v1', commands, 'reason'),
  ...schema('cmd-pause-v1', commands, ''),
  ...schema('cmd-resume-v1', commands, ''),
  ...schema('cmd-set-phase-v1', commands, 'phase reason'),
  ...schema('cmd-spawn-v1', spawned, 'name mission model'),
  ...schema('cmd-inject-text-v1', commands, 'text'),
  row('cmd-inject-text-v1.paste', types, 'Each prompt of a session comes as one piece, so nothing is to choose.'),
  ...schema('system-peer-joined-v1', hello, 'peerId role ts'),
  row('system-peer-joined-v1.peerName', hello, 'As `from_name` of the envelope.'),
  ...schema('system-peer-left-v1', left, 'peerId role'),
  row('system-peer-left-v1.reason', 'a peer may leave by %s'),
  ...schema('system-peer-stale-v1', silent, 'peerId last_seen missed_heartbeats'),
  ...schema(
    'system-gate-fired-v1',
    illegal,
    'tool reason peerId',
    'Of what the bus refuses: `tool` is `publish` or `phase`. A refused call of a tool is `system.permission.closed`.',
  ),
  ...schema(
    'system-budget-warning-v1',
    sum,
    'current_usd threshold_usd',
    'It counts tokens too: not every program reports its cost.',
  ),
  ...schema('system-malformed-received-v1', who, 'from topic error'),
]

const ofKind = (kind: string, members: string, note?: string): ParityRow[] => [
  row(`kind.${kind}`, kinds),
  ...membersOf(kind, members.split(' ').filter(Boolean), kinds, note),
]

export const kindRows: ParityRow[] = [
  ...ofKind('BLOCKED', 'blocking_resource retryable', unread),
  ...ofKind('REQUEST', 'request_type', unread),
  row(
    'REQUEST.options',
    'of the options that an ask offers, these can be chosen: %s',
    'People choose one of them in the Inbox.',
  ),
  row('A BLOCKED or REQUEST has a `request_id`', 'BLOCKED and REQUEST need the id that their answer names'),
  ...ofKind('HARVEST', 'artifacts', unread),
  ...ofKind('ERROR', 'error_class retryable suggested_action', unread),
  ...ofKind('DECISION', 'decision_id option_chosen reasoning', unread),
  ...ofKind('PROGRESS', 'percent current_step total_steps eta_ms', unread),
  ...ofKind('LOG', ''),
  row('Kinds that are new', 'a kind that nobody knows yet is delivered'),
]

export const commandRows: ParityRow[] = [
  ...membersOf('cmd.<peerId>', ['approve', 'reject'], commands, 'Told to the program of the session.'),
  row(
    'cmd.<peerId>.unblock',
    '`unblock` is an approval',
    'The document names it once, and answers by `approve` elsewhere.',
  ),
  row(
    'cmd.<peerId>.set_phase',
    '[BUS-6.4] a worker may take the move that an orchestrator told it, once, whatever the table says',
    'It is told. The worker’s next move to that phase counts, whatever the table says; nobody else moves it.',
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
  row(
    'Commands are for all workers of a role, too',
    'of commands are all taken for a role, whatever its name, and no other is',
  ),
  row(
    'Injection: [CLAWS_CMD r=<id>] <command>: <json>',
    '[TOOL-4.2] begins a turn of a session that rests',
    'With the name of the topic: `approve`, where the document’s example has `approve_request`.',
  ),
  row(
    'A sidecar that subscribes to `cmd.<peerId>.**`',
    '[BUS-7] a worker with `**` hears what concerns it, and nothing else',
    '`/events` or `roundhouse-agent subscribe`. A session’s program reads its commands by a tool.',
  ),
]
