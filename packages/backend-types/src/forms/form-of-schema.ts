/**
 * Builds the form that an MCP server describes with a JSON schema. The schema may use what the MCP specification lists:
 * strings, numbers, booleans and lists of named values. Anything else results in a form that says what is wrong. Pure.
 */
import { isRecord } from '../common/is-record'
import { type AskForm, boundedForm, type FormField, type FormOption, unreadableForm } from './form'
import { safePattern } from './safe-pattern'

type Json = Record<string, unknown>

/** A sentence about the schema, for people. */
class Nonsense extends Error {}

const formats = new Set<unknown>(['email', 'uri', 'date', 'date-time'])

export function formOfSchema(schema: unknown, words: Pick<AskForm, 'from' | 'message'>): AskForm {
  try {
    return boundedForm({ ...words, fields: fieldsOf(schema) })
  } catch (error) {
    if (error instanceof Nonsense) return unreadableForm(error.message, words)
    throw error
  }
}

function fieldsOf(schema: unknown): FormField[] {
  if (!isRecord(schema)) throw new Nonsense('Its schema is no object.')
  if (schema.type !== undefined && schema.type !== 'object')
    throw new Nonsense('Its schema does not describe an object.')
  if (!isRecord(schema.properties ?? {})) throw new Nonsense('Its schema lists no fields.')
  const properties = (schema.properties ?? {}) as Json
  const required = schema.required ?? []
  if (!Array.isArray(required)) throw new Nonsense('What is required is no list.')
  const unknown = required.find((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
  if (unknown !== undefined) throw new Nonsense(`It requires ${JSON.stringify(unknown)}, which it does not describe.`)
  return Object.entries(properties).map(([name, one]) => fieldOf(name, one, required.includes(name)))
}

function fieldOf(name: string, schema: unknown, required: boolean): FormField {
  if (!isRecord(schema)) throw new Nonsense(`The field ${JSON.stringify(name)} is not described.`)
  const title = textOf(schema.title)
  const about = textOf(schema.description)
  const common = { name, label: title ?? name, ...(about === undefined ? {} : { about }), required }
  const options = optionsOf(name, schema)
  if (options) return choice({ ...common, options, many: false }, textOf(schema.default))
  switch (schema.type) {
    case 'string':
      return { kind: 'text', ...common, ...textRules(name, schema) }
    case 'number':
    case 'integer':
      return { kind: 'number', ...common, integer: schema.type === 'integer', ...numberRules(name, schema) }
    case 'boolean':
      return { kind: 'boolean', ...common, ...(typeof schema.default === 'boolean' ? { initial: schema.default } : {}) }
    case 'array': {
      const items = isRecord(schema.items) ? optionsOf(name, schema.items) : undefined
      if (!items) throw new Nonsense(`The list ${JSON.stringify(name)} has nothing to choose from.`)
      const bounds = boundsOf(name, schema.minItems, schema.maxItems)
      return { ...choice({ ...common, options: items, many: true }, schema.default), ...bounds }
    }
    default:
      throw new Nonsense(`The field ${JSON.stringify(name)} is of a kind that no form has.`)
  }
}

function choice(field: Omit<FormField & { kind: 'choice' }, 'kind' | 'ownAnswer'>, initial: unknown): FormField {
  const values = (Array.isArray(initial) ? initial : [initial]).filter((value) =>
    field.options.some((option) => option.value === value),
  )
  return { kind: 'choice', ...field, ownAnswer: false, ...(values.length > 0 ? { initial: values } : {}) }
}

/** `enum` with or without `enumNames`, or `oneOf` / `anyOf` with a `const` and a title each. */
function optionsOf(name: string, schema: Json): FormOption[] | undefined {
  const listed = schema.enum ?? schema.oneOf ?? schema.anyOf
  if (listed === undefined) return undefined
  if (!Array.isArray(listed) || listed.length === 0) throw new Nonsense(`The choice ${JSON.stringify(name)} is empty.`)
  const names = Array.isArray(schema.enumNames) ? schema.enumNames : []
  const options = listed.map((one, index) => {
    const value = isRecord(one) ? one.const : one
    if (typeof value !== 'string') throw new Nonsense(`The choice ${JSON.stringify(name)} offers what is no text.`)
    const about = isRecord(one) ? textOf(one.description) : undefined
    const label = (isRecord(one) ? textOf(one.title) : textOf(names[index])) ?? value
    return { value, label, ...(about === undefined ? {} : { about }) }
  })
  const isTwice = new Set(options.map(({ value }) => value)).size < options.length
  if (isTwice) throw new Nonsense(`The choice ${JSON.stringify(name)} offers the same twice.`)
  return options
}

function textRules(name: string, schema: Json) {
  const { min: minLength, max: maxLength } = boundsOf(name, schema.minLength, schema.maxLength)
  const initial = textOf(schema.default)
  const pattern = patternOf(name, schema.pattern)
  return {
    ...(pattern === undefined ? {} : { pattern }),
    ...(formats.has(schema.format) ? { format: schema.format as 'email' } : {}),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(initial === undefined ? {} : { initial }),
  }
}

/** One that could not be checked would let answers through that the server does not take. */
function patternOf(name: string, pattern: unknown): string | undefined {
  if (pattern === undefined) return undefined
  if (typeof pattern !== 'string') throw new Nonsense(`The pattern of ${JSON.stringify(name)} is no text.`)
  if (!safePattern(pattern)) throw new Nonsense(`The pattern of ${JSON.stringify(name)} cannot be checked here.`)
  return pattern
}

function numberRules(name: string, schema: Json) {
  const { default: initial } = schema
  const isInitial = typeof initial === 'number' && Number.isFinite(initial)
  return { ...boundsOf(name, schema.minimum, schema.maximum), ...(isInitial ? { initial } : {}) }
}

function boundsOf(name: string, min: unknown, max: unknown): { min?: number; max?: number } {
  for (const bound of [min, max])
    if (bound !== undefined && !(typeof bound === 'number' && Number.isFinite(bound)))
      throw new Nonsense(`A bound of ${JSON.stringify(name)} is no number.`)
  const [low, high] = [min as number | undefined, max as number | undefined]
  if (low !== undefined && high !== undefined && low > high)
    throw new Nonsense(`No value of ${JSON.stringify(name)} fits its bounds.`)
  return { ...(low === undefined ? {} : { min: low }), ...(high === undefined ? {} : { max: high }) }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
