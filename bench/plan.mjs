// What `npm run bench` measures: one row for each figure of docs/performance.md, the run that produces it, and how to read
// the figure from the run's result.

const run = (scenario, params = {}, floorParams = {}) => ({ scenario, params, floorParams })

const paced = run('paced', { seconds: 10 })
const burst = run('burst', {}, { batch: 50 }) // our agent batches by itself
const fanin = run('fanin', { seconds: 10 })
const load = run('load')
const idle = run('idle', { settle: 6, rest: 90, seconds: 10 })
const backlog = run('backlog')
const crash = run('crash')
const netcut = run('netcut')
const startup = run('startup')
/** The whole path, the agent's daemon and its hosts: `whole.ts`, Roundhouse only. */
const whole = run('whole')

const row = (id, name, of, figure, unit, target = '') => ({ id, name, run: of, figure, unit, target })

export const rows = [
  row('P1', 'paced 50/s, agent socket to viewer, p50', paced, (r) => r.latMs.p50, 'ms', '<= 1.0x peer'),
  row('P1', 'the same, p99', paced, (r) => r.latMs.p99, 'ms'),
  row('P1', "paced 50/s, program's line to browser, p50", whole, (r) => r.latMs.p50, 'ms', '<= 15 ms'),
  row('P1', 'the same, p99', whole, (r) => r.latMs.p99, 'ms', '<= 60 ms'),
  row('P2', 'burst of 5,000', burst, (r) => r.eventsPerS, 'events/s', '>= 10x peer, >= 0.6x floor'),
  row('P3', '50 agents x 20/s, CPU per 1,000 events', fanin, (r) => r.cpuMsPer1000, 'ms', '<= 0.6x peer'),
  row('P3', 'the same, p99', fanin, (r) => r.latMs.p99, 'ms', '<= 0.3x peer'),
  row('P5', 'latest 200 of 100,000, p50', load, (r) => r.ofLarge.p50, 'ms', '<= 0.1x peer'),
  row('P5', 'latest 200 of 5,000, p50', load, (r) => r.ofSmall.p50, 'ms', 'as of 100,000'),
  row('P9', '200 idle agents, CPU', idle, (r) => r.cpuPercent, '%', '<= 1 %'),
  row('P9', 'the same, resident memory', idle, (r) => r.restedMb, 'MB', '<= 220 MB'),
  row('P9', 'resident memory right after they joined', idle, (r) => r.joinedMb, 'MB'),
  row('P9', 'resident memory without agents', idle, (r) => r.emptyMb, 'MB'),
  row('P9', 'memory of 10 more agents', idle, (r) => r.perTenMb, 'MB', '<= 1.2 MB'),
  row('P11', 'hub killed in a backlog of 5,000: missing', backlog, (r) => r.missing, 'events', '0'),
  row('P11', 'hub killed twice at 200/s: missing', crash, (r) => r.missing, 'events', '0'),
  row('P11', 'network drops everything for 5 s: missing', netcut, (r) => r.missing, 'events', '0'),
  row('P11', 'all three: duplicate or out of order', [backlog, crash, netcut], damage, 'events', '0'),
  row('P12', "agent's daemon, idle: resident memory", whole, (r) => r.daemonMb, 'MB', '<= 70 MB'),
  row('P12', 'the same, CPU', whole, (r) => r.daemonCpuPercent, '%', '< 0.5 %'),
  row('P12', 'active session host: resident memory', whole, (r) => r.hostMb, 'MB', '<= 60 MB'),
  row('P12', 'the same, shared pages divided (PSS)', whole, (r) => r.hostPssMb, 'MB'),
  row('P12', 'hosts alive after the idle time', whole, (r) => r.hostsWhenIdle, 'hosts', '0'),
  row('P13', 'hub start to ready, empty', startup, (r) => r.emptyMs, 'ms', '<= 2,000 ms'),
  row('P13', 'the same with 1,000,000 events', startup, (r) => r.fullMs, 'ms', '<= 3,000 ms'),
]

export const runsOf = (row) => [row.run].flat()

function damage(...results) {
  return results.reduce((sum, result) => sum + result.duplicated + result.outOfOrder, 0)
}
