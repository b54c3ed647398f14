/**
 * Pages load this in the place of zod (`next.config.mjs`), 2 kB instead of 32: the part of zod that the contract uses, with
 * the same checks. A missing part throws when the contract loads. `page-zod.test.ts` checks the whole contract on both with
 * the same values. Of an invalid value, it reports only the first problem.
 */

/** A value does not fit. */
class Misfit {
  path: (string | number)[] = []
  readonly message: string

  constructor(message: string) {
    this.message = message
  }

  /** As seen from what holds it. */
  at(key: string | number): this {
    this.path.unshift(key)
    return this
  }
}

class ZodError extends Error {
  readonly issues: Misfit[]

  constructor(misfit: Misfit) {
    super(`${misfit.path.join('.') || 'value'}: ${misfit.message}`)
    this.name = 'ZodError'
    this.issues = [misfit]
  }
}

type Check = (value: unknown) => unknown
type Shape = Record<string, Schema>
/** For a missing key: it is required, it stays absent, or the schema supplies a value. */
type Absence = 'refused' | 'kept' | 'filled'

interface Facts {
  absence?: Absence
  shape?: Shape
  /** For keys that no shape names: null refuses them, a schema keeps them. */
  others?: Schema | null | undefined
  options?: readonly unknown[]
  value?: unknown
}

const invalid = (expected: string) => new Misfit(`Invalid input: expected ${expected}`)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `check` gives the value as it is read, or a `Misfit`. */
class Schema {
  readonly check: Check
  readonly facts: Facts
  readonly absence: Absence
  readonly shape: Shape | undefined
  readonly options: readonly unknown[] | undefined
  readonly value: unknown

  constructor(check: Check, facts: Facts = {}) {
    this.check = check
    this.facts = facts
    this.absence = facts.absence ?? 'refused'
    this.shape = facts.shape
    this.options = facts.options
    this.value = facts.value
  }

  parse(value: unknown): unknown {
    const read = this.check(value)
    if (read instanceof Misfit) throw new ZodError(read)
    return read
  }

  safeParse(value: unknown) {
    const read = this.check(value)
    return read instanceof Misfit ? { success: false, error: new ZodError(read) } : { success: true, data: read }
  }

  #then(next: Check, facts = this.facts): Schema {
    const { check } = this
    return new Schema((value) => {
      const read = check(value)
      return read instanceof Misfit ? read : next(read)
    }, facts)
  }

  #holds(holds: (value: never) => boolean, message: string, path: string[] = []): Schema {
    return this.#then((value) => {
      if (holds(value as never)) return value
      const misfit = new Misfit(message)
      misfit.path = [...path]
      return misfit
    })
  }

  // -- of any value

  optional(): Schema {
    const { check } = this
    return new Schema((value) => (value === undefined ? value : check(value)), { absence: 'kept' })
  }

  nullable(): Schema {
    const { check, absence } = this
    return new Schema((value) => (value === null ? value : check(value)), { absence })
  }

  default(given: unknown): Schema {
    const { check } = this
    return new Schema((value) => (value === undefined ? structuredClone(given) : check(value)), { absence: 'filled' })
  }

  catch(given: unknown): Schema {
    const { check, absence } = this
    return new Schema(
      (value) => {
        const read = check(value)
        return read instanceof Misfit ? given : read
      },
      { absence: absence === 'refused' ? 'filled' : absence },
    )
  }

  refine(
    holds: (value: never) => boolean,
    said: string | { message: string; path: string[] } = 'Invalid input',
  ): Schema {
    return typeof said === 'string' ? this.#holds(holds, said) : this.#holds(holds, said.message, said.path)
  }

  transform(change: (value: never) => unknown): Schema {
    return this.#then((value) => change(value as never), { absence: this.absence })
  }

  pipe(next: Schema): Schema {
    return this.#then(next.check, { absence: this.absence })
  }

  array(): Schema {
    return array(this)
  }

  // -- of strings, lists and numbers

  min(least: number): Schema {
    return this.#holds((value: Sized) => sizeOf(value) >= least, `Too small: expected at least ${least}`)
  }

  max(most: number): Schema {
    return this.#holds((value: Sized) => sizeOf(value) <= most, `Too big: expected at most ${most}`)
  }

  int(): Schema {
    return this.#holds(Number.isSafeInteger, 'Invalid input: expected a whole number')
  }

  positive(): Schema {
    return this.#holds((value: number) => value > 0, 'Too small: expected more than 0')
  }

  regex(pattern: RegExp, message = 'Invalid string'): Schema {
    return this.#holds((value: string) => pattern.test(value), message)
  }

  trim(): Schema {
    return this.#then((value) => (value as string).trim())
  }

  // -- of choices and objects

  exclude(left: unknown[]): Schema {
    return oneOf((this.options ?? []).filter((option) => !left.includes(option)))
  }

  extend(more: Shape): Schema {
    return object({ ...this.shape, ...more }, this.facts.others)
  }

  pick(keys: Record<string, true>): Schema {
    const { shape = {} } = this
    return object(pairs(Object.keys(keys).map((key) => [key, shape[key] as Schema])), this.facts.others)
  }

  partial(): Schema {
    return object(pairs(Object.entries(this.shape ?? {}).map(([key, one]) => [key, one.optional()])), this.facts.others)
  }

  loose(): Schema {
    return this.catchall(unknown())
  }

  catchall(others: Schema): Schema {
    return object(this.shape ?? {}, others)
  }
}

type Sized = number | { length: number }
const sizeOf = (value: Sized): number => (typeof value === 'number' ? value : value.length)

const pairs = (entries: [string, Schema][]): Shape => Object.fromEntries(entries)

const is = (type: string) => (): Schema =>
  new Schema((value) => (typeof value === type ? value : invalid(`${type}, received ${typeof value}`)))

const readNumber: Check = (value) => (Number.isFinite(value) ? value : invalid(`number, received ${typeof value}`))
const string = is('string')
const unknown = (): Schema => new Schema((value) => value)

const literal = (wanted: unknown): Schema =>
  new Schema((value) => (value === wanted ? value : invalid(JSON.stringify(wanted))), { value: wanted })

const oneOf = (options: readonly unknown[]): Schema =>
  new Schema((value) => (options.includes(value) ? value : invalid(`one of ${options.join(', ')}`)), { options })

const array = (item: Schema): Schema =>
  new Schema((value) => {
    if (!Array.isArray(value)) return invalid('array')
    const items: unknown[] = []
    for (let i = 0; i < value.length; i++) {
      const read = item.check(value[i])
      if (read instanceof Misfit) return read.at(i)
      items.push(read)
    }
    return items
  })

const union = (options: readonly Schema[]): Schema =>
  new Schema(
    (value) => {
      for (const { check } of options) {
        const read = check(value)
        if (!(read instanceof Misfit)) return read
      }
      return new Misfit('Invalid input')
    },
    { options },
  )

const discriminatedUnion = (key: string, options: readonly Schema[]): Schema => {
  const byValue = new Map(options.map((option) => [option.shape?.[key]?.value, option]))
  return new Schema(
    (value) => {
      if (!isObject(value)) return invalid('object')
      return byValue.get(value[key])?.check(value) ?? new Misfit('Invalid input').at(key)
    },
    { options },
  )
}

function object(shape: Shape, others?: Schema | null): Schema {
  const fields = Object.entries(shape)
  return new Schema(
    (value) => {
      if (!isObject(value)) return invalid('object')
      const made: Record<string, unknown> = {}
      for (const [key, { check, absence }] of fields) {
        const present = key in value
        if (!present && absence === 'kept') continue
        if (!present && absence === 'refused') return invalid('a value, received undefined').at(key)
        const read = check(value[key])
        if (read instanceof Misfit) return read.at(key)
        if (present || read !== undefined) made[key] = read
      }
      return others === undefined ? made : withOthers(made, value, shape, others)
    },
    { shape, others },
  )
}

function withOthers(made: Record<string, unknown>, value: object, shape: Shape, others: Schema | null) {
  for (const [key, one] of Object.entries(value)) {
    if (Object.hasOwn(shape, key)) continue
    if (others === null) return new Misfit(`Unrecognized key: ${JSON.stringify(key)}`)
    if (key === '__proto__') continue
    const read = others.check(one)
    if (read instanceof Misfit) return read.at(key)
    made[key] = read
  }
  return made
}

const record = (keys: Schema, values: Schema): Schema =>
  new Schema((value) => {
    if (!isObject(value)) return invalid('record')
    const made: Record<string, unknown> = {}
    for (const [key, one] of Object.entries(value)) {
      if (key === '__proto__') continue
      const name = keys.check(key)
      const read = name instanceof Misfit ? name : values.check(one)
      if (read instanceof Misfit) return read.at(key)
      made[name as string] = read
    }
    return made
  })

const EMAIL = /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/
const BASE64 = /^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=)?$/

export const z = {
  ZodError,
  string,
  boolean: is('boolean'),
  number: () => new Schema(readNumber),
  coerce: { number: () => new Schema((value) => readNumber(Number(value))) },
  unknown,
  literal,
  enum: oneOf,
  array,
  union,
  discriminatedUnion,
  object: (shape: Shape) => object(shape),
  strictObject: (shape: Shape) => object(shape, null),
  record,
  email: () => string().regex(EMAIL, 'Invalid email address'),
  base64: () => string().regex(BASE64, 'Invalid base64-encoded string'),
}
