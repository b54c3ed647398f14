// What `npm run bench` measures: one row for each figure of docs/performance.md, with the scenario that gives it and how
// the figure is read from the scenario's result.

const idle = { settle: 6, seconds: 6 }

/** name, scenario, parameters, figure of a result, unit; `lower` when less is better; `target` in words. */
export const rows = [
  { id: 'P1', name: 'paced 50/s, agent socket to viewer, p50', scenario: 'paced', params: { seconds: 10 }, figure: (r) => r.latMs.p50, unit: 'ms', target: '<= 1.0x peer' },
  { id: 'P1', name: 'the same, p99', scenario: 'paced', params: { seconds: 10 }, figure: (r) => r.latMs.p99, unit: 'ms' },
  { id: 'P2', name: 'burst of 5,000', scenario: 'burst', params: {}, floorParams: { batch: 50 }, figure: (r) => r.eventsPerS, unit: 'events/s', higher: true, target: '>= 10x peer, >= 0.6x floor' },
  { id: 'P3', name: '50 agents x 20/s, CPU per 1,000 events', scenario: 'fanin', params: { seconds: 10 }, figure: (r) => r.cpuMsPer1000, unit: 'ms', target: '<= 0.6x peer' },
  { id: 'P3', name: 'the same, p99', scenario: 'fanin', params: { seconds: 10 }, figure: (r) => r.latMs.p99, unit: 'ms', target: '<= 0.3x peer' },
  { id: 'P5', name: 'latest 200 of 100,000', scenario: 'load', params: { exports: 2 }, figure: (r) => r.latest200of100000.p50, unit: 'ms', target: '<= 0.1x peer' },
  { id: 'P5', name: 'latest 200 of 5,000', scenario: 'load', params: { exports: 2 }, figure: (r) => r.latest200of5000.p50, unit: 'ms', target: 'as at 100,000' },
  { id: 'P9', name: '200 idle agents, CPU', scenario: 'idle', params: idle, figure: (r) => r.cpuPct200, unit: '%', target: '<= 1' },
  { id: 'P9', name: 'the same, resident memory', scenario: 'idle', params: idle, figure: (r) => r.rss200Mb, unit: 'MB', target: '<= 220' },
  { id: 'P9', name: 'memory of 10 more agents', scenario: 'idle', params: idle, figure: (r) => (r.rss200Mb - r.rss0Mb) / 20, unit: 'MB', target: '<= 1.2' },
  { id: 'P11', name: 'hub killed in a backlog of 5,000: missing', scenario: 'crash', params: { mode: 'backlog', killAt: 0.3 }, figure: (r) => r.missing, unit: 'events', target: '0' },
  { id: 'P11', name: 'hub killed twice at 200/s: missing', scenario: 'crash', params: {}, figure: (r) => r.missing, unit: 'events', target: '0' },
  { id: 'P11', name: 'network swallows 5 s: missing', scenario: 'netcut', params: {}, figure: (r) => r.missing, unit: 'events', target: '0' },
  { id: 'P11', name: 'the same: doubled', scenario: 'netcut', params: {}, figure: (r) => r.duplicated, unit: 'events', target: '0' },
  { id: 'P13', name: 'hub start to ready, empty', scenario: 'idle', params: idle, figure: (r) => r.startMs, unit: 'ms', target: '<= 2,000' },
  { id: 'P13', name: 'hub start to ready, 1,000,000 events', scenario: 'growth', params: { sessions: 500, per: 2000, seconds: 2, repeat: 5 }, figure: (r) => r.startMsWithData, unit: 'ms', target: '<= 3,000' },
]

/** The runs behind the rows, each once. */
export function runsFor(targetName) {
  const runs = new Map()
  for (const row of rows) {
    const params = { ...row.params, ...(targetName.startsWith('floor') ? row.floorParams : {}) }
    runs.set(keyOf(row), { scenario: row.scenario, params })
  }
  return runs
}

export const keyOf = (row) => `${row.scenario} ${JSON.stringify(row.params)}`
