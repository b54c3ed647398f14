import { describe, expect, it } from 'vitest'
import { ContextMeter, CostMeter } from './meters'

const result = (total: number, models?: Record<string, number>) => ({
  total_cost_usd: total,
  ...(models
    ? {
        model_usage_since_last_result: Object.fromEntries(
          Object.entries(models).map(([name, costUSD]) => [name, { costUSD }]),
        ),
      }
    : {}),
})

describe('CostMeter', () => {
  it('a turn costs what the total grew by', () => {
    const meter = new CostMeter(0)
    expect([meter.turn(result(0.1)), meter.turn(result(0.25)), meter.turn(result(0.25))]).toEqual([0.1, 0.15, 0])
  })

  it('a resumed process goes on from what the CLI says it starts with', () => {
    const meter = new CostMeter(undefined)
    meter.setBaseline(2)
    expect(meter.turn(result(2.5))).toBe(0.5)
  })

  it('a total below the last one began anew', () => {
    const meter = new CostMeter(undefined)
    meter.setBaseline(2)
    expect(meter.turn(result(0.5))).toBe(0.5)
    expect(meter.turn(result(0.75))).toBe(0.25)
  })

  it('without a baseline the result itself may tell, else the first cost is not known', () => {
    expect(new CostMeter(undefined).turn(result(9, { opus: 0.25, haiku: 0.5 }))).toBe(0.75)
    const meter = new CostMeter(undefined)
    expect(meter.turn(result(9))).toBeUndefined()
    expect(meter.turn(result(9.5))).toBe(0.5)
  })

  it('a baseline that comes after the first result changes nothing', () => {
    const meter = new CostMeter(undefined)
    meter.turn(result(9))
    meter.setBaseline(1)
    expect(meter.turn(result(9.25))).toBe(0.25)
  })

  it('no total, no cost', () => {
    expect(new CostMeter(0).turn({})).toBeUndefined()
  })
})

const message = (input: number, model = 'claude-x') => ({
  model,
  usage: { input_tokens: input, cache_read_input_tokens: 100, cache_creation_input_tokens: 10 },
})
const window = (contextWindow: number, maxOutputTokens = 1000) => ({ contextWindow, maxOutputTokens })

describe('ContextMeter', () => {
  it('counts everything the last request held, and its answer', () => {
    const meter = new ContextMeter(undefined)
    meter.message(message(1000))
    expect(meter.usage()).toBeUndefined()
    meter.result({ modelUsage: { 'claude-x': window(200_000) } })
    expect(meter.usage()).toEqual({ used: 1110, total: 200_000 })
    meter.answered(90, 1110)
    expect(meter.usage()).toEqual({ used: 1200, total: 200_000 })
  })

  it('takes the window of the model that answers, by its suffixed name first', () => {
    const models = { 'claude-small': window(1), 'claude-x[1m]': window(1_000_000), 'claude-x': window(200_000) }
    const meter = new ContextMeter(undefined)
    meter.message(message(0))
    meter.result({ modelUsage: models })
    expect(meter.usage()?.total).toBe(200_000)
    meter.init('claude-x[1m]')
    meter.result({ modelUsage: models })
    expect(meter.usage()?.total).toBe(1_000_000)
  })

  it('keeps the window it knows when a result does not name the model', () => {
    const meter = new ContextMeter(undefined)
    meter.message(message(0))
    meter.result({ modelUsage: { 'claude-x[1m]': window(7) } })
    meter.result({ modelUsage: { a: window(1), b: window(2) } })
    expect(meter.usage()?.total).toBe(7)
  })

  it('a message that stands for a failure used nothing, and a compaction says what is left', () => {
    const meter = new ContextMeter(undefined)
    meter.message(message(1000))
    meter.message({ model: '<synthetic>', usage: { input_tokens: 0 } })
    meter.result({ modelUsage: { 'claude-x': window(200_000) } })
    expect(meter.usage()?.used).toBe(1110)
    meter.compacted(50)
    meter.compacted(undefined)
    expect(meter.usage()?.used).toBe(50)
  })

  it('warns once when the usage nears the window less the answer', () => {
    const meter = new ContextMeter(20_000)
    meter.message(message(160_000))
    expect(meter.warning()).toBeUndefined()
    meter.result({ modelUsage: { 'claude-x': window(200_000) } })
    expect(meter.warning()).toEqual({
      used: 160_110,
      hardLimit: 180_000,
      threshold: 153_000,
      distanceToHard: 19_890,
      maxOutputTokens: 20_000,
    })
    expect(meter.warning()).toBeUndefined()
    meter.compacted(1000)
    expect(meter.warning()).toBeUndefined()
    meter.message(message(170_000))
    expect(meter.warning()?.used).toBe(170_110)
  })

  it("reckons with the model's own limit where the session sets none", () => {
    const meter = new ContextMeter(undefined)
    meter.message(message(160_000))
    meter.result({ modelUsage: { 'claude-x': window(200_000, 64_000) } })
    expect(meter.warning()).toMatchObject({ hardLimit: 136_000, maxOutputTokens: 64_000 })
  })
})
