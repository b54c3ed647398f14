/** Generates `docs/frames.md` from the tables of frames. */
import type { z } from 'zod'
import {
  agentToHub,
  type FrameTable,
  hubToAgent,
  hubToProgram,
  hubToViewer,
  programToHub,
  questions,
  viewerToHub,
} from '../frames'
import * as contract from '../index'

const names = new Map<unknown, string>(
  Object.entries(contract).flatMap(([name, value]) => (isSchema(value) ? [[value, name]] : [])),
)

function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && 'safeParse' in value
}

// What a definition holds depends on its type; zod's own types name it for each schema class only.
// biome-ignore lint/suspicious/noExplicitAny: see above
const defOf = (schema: z.ZodType): any => schema.def

const shapes: Record<string, (schema: z.ZodType) => string> = {
  object: fieldsOf,
  array: (schema) => `${typeOf(defOf(schema).element)}[]`,
  record: (schema) => `{ [id]: ${typeOf(defOf(schema).valueType)} }`,
  literal: (schema) =>
    defOf(schema)
      .values.map((value: unknown) => JSON.stringify(value))
      .join(' \\| '),
  enum: (schema) =>
    Object.values(defOf(schema).entries)
      .map((value) => JSON.stringify(value))
      .join(' \\| '),
  union: (schema) => defOf(schema).options.map(typeOf).join(' \\| '),
  nullable: (schema) => `${typeOf(defOf(schema).innerType)} \\| null`,
  optional: (schema) => typeOf(defOf(schema).innerType),
  catch: (schema) => typeOf(defOf(schema).innerType),
}

const typeOf = (schema: z.ZodType): string =>
  names.get(schema) ?? shapes[defOf(schema).type]?.(schema) ?? String(defOf(schema).type)

function fieldsOf(schema: z.ZodType): string {
  const fields = Object.entries<z.ZodType>(defOf(schema).shape)
  if (fields.length === 0) return 'nothing'
  const written = fields.map(
    ([name, field]) => `${name}${field.safeParse(undefined).success ? '?' : ''}: ${typeOf(field)}`,
  )
  return `{ ${written.join(', ')} }`
}

/** The fields of the frame itself, whether or not it has a name. */
const frameOf = (schema: z.ZodType): string =>
  defOf(schema).type === 'object' ? fieldsOf(schema) : `one of \`${names.get(schema)}\``

const cell = (text: string): string => (text === 'nothing' || text.startsWith('one of') ? text : `\`${text}\``)

function frameRows(table: FrameTable): string {
  const rows = Object.entries(table).map(
    ([name, { summary, frame, reply }]) =>
      `| \`${name}\` | ${summary}. | ${cell(frameOf(frame))} | ${reply ? cell(frameOf(reply)) : '–'} |`,
  )
  return ['| Frame | Meaning | Fields | Reply besides `ok: true` |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

const questionRows = (): string =>
  [
    '| Question | Meaning | Ask | Answer |',
    '| --- | --- | --- | --- |',
    ...Object.entries(questions).map(
      ([name, { summary, ask, answer }]) =>
        `| \`${name}\` | ${summary}. | ${cell(frameOf(ask))} | ${cell(frameOf(answer))} |`,
    ),
  ].join('\n')

export const framesPage = (): string => `# Frames

This page lists every frame of the sockets. \`frames-page.test.ts\` generates it from the tables in
\`packages/backend-types/src/frames\`; to update it, run \`npx vitest run packages/backend-types/src/frames -u\`. Both ends check
incoming frames against the same rows. \`?\` marks an optional field; names are schemas of \`packages/backend-types\`.
[protocol.md](protocol.md) has the rules.

A frame holds one object. The receiver answers a frame that has a reply with \`{ ok: true, ... }\` or \`{ ok: false, error }\`. The hub
and the agent answer an invalid frame with \`MALFORMED_FRAME\`. The browser drops it and reads what it missed over REST.

## \`/agent\`: machine to hub

${frameRows(agentToHub)}

## \`/agent\`: hub to machine

${frameRows(hubToAgent)}

### Questions

The frame \`question\` contains one of these. A question changes nothing and is not stored (CMD-6).

${questionRows()}

## \`/viewer\`: browser to hub

${frameRows(viewerToHub)}

## \`/viewer\`: hub to browser

${frameRows(hubToViewer)}

## \`/events\`: program to hub

${frameRows(programToHub)}

## \`/events\`: hub to program

${frameRows(hubToProgram)}
`
