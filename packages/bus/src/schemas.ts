/** The nineteen schemas of the convention, and those that it leaves open. */
import { z } from 'zod'
import type { BusSchema } from './bus-schema'
import { commandSchemas } from './command-schemas'
import { ownSchemas, systemSchemas } from './system-schemas'
import { matchesTopic, readTopic } from './topics'
import { workerSchemas } from './worker-schemas'

export type { BusSchema } from './bus-schema'
export {
  askingKinds,
  type EventKind,
  eventDetails,
  eventKinds,
  MOST_USD,
  type OfferedOption,
  offeredOptions,
  RequestId,
  severities,
} from './worker-schemas'

export const conventionSchemas = { ...workerSchemas, ...commandSchemas, ...systemSchemas } as const

export type SchemaName = keyof typeof conventionSchemas | keyof typeof ownSchemas
export type SchemaData<N extends SchemaName> = z.infer<(typeof busSchemas)[N]['data']>

export const busSchemas = { ...conventionSchemas, ...ownSchemas } as const

/** A task has topics and no schemas in the convention: each `task-<word>-v1` is an object. */
const taskSchema: BusSchema = { topic: 'task.*.**', data: z.record(z.string(), z.unknown()) }
const TASK_SCHEMA = /^task-[a-z0-9-]+-v1$/

export function schemaNamed(name: string): BusSchema | null {
  if (Object.hasOwn(busSchemas, name)) return busSchemas[name as SchemaName]
  return TASK_SCHEMA.test(name) ? taskSchema : null
}

/**
 * `cmd.role.<role>` takes each command. BLOCKED is answered on `cmd.<peer>.unblock` in one place of the convention, and by
 * `approve` in another: both are an approval.
 */
export function belongsOn(name: string, schema: BusSchema, topic: string): boolean {
  if (readTopic(topic)?.space === 'role') return Object.hasOwn(commandSchemas, name)
  if (matchesTopic(schema.topic, topic)) return true
  return name === 'cmd-approve-v1' && matchesTopic('cmd.*.unblock', topic)
}

/** Of a schema that belongs on one topic only. */
export const schemaTopic = (name: Extract<SchemaName, `system-${string}`>): string => busSchemas[name].topic
