// Reads /proc for one process and for the whole machine.
import fs from 'node:fs'
import os from 'node:os'
import { round, sleep } from './util.mjs'

process.setMaxListeners(100)
const TICKS_A_SECOND = 100

/** CPU seconds of a process: user and system, all threads. */
function cpuSeconds(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
}

const megabytes = (file, pattern) => Math.round(Number(pattern.exec(fs.readFileSync(file, 'utf8'))?.[1]) / 102.4) / 10

export const rssMb = (pid) => megabytes(`/proc/${pid}/status`, /VmRSS:\s+(\d+)/)

/** Like RSS, but a page shared by three processes counts a third in each. */
export const pssMb = (pid) => megabytes(`/proc/${pid}/smaps_rollup`, /Pss:\s+(\d+)/)

/** Bytes that the process has sent to the block layer; 0 where the system does not say. */
function writtenBytes(pid) {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

/** Seconds of the machine: used, taken away by the hypervisor, all. */
function machineCpu() {
  const fields = fs.readFileSync('/proc/stat', 'utf8').split('\n')[0].trim().split(/\s+/).slice(1).map(Number)
  const idle = fields[3] + fields[4]
  const total = fields.slice(0, 8).reduce((a, b) => a + b, 0)
  return {
    busy: (total - idle - fields[7]) / TICKS_A_SECOND,
    steal: fields[7] / TICKS_A_SECOND,
    total: total / TICKS_A_SECOND,
  }
}

/** Waits until the machine is at least `idleShare` idle, at most `maxWait`; returns how idle it was in the end. */
export async function quiet({ idleShare = 0.85, ms = 1_500, maxWait = 60_000 } = {}) {
  const end = performance.now() + maxWait
  for (;;) {
    const before = machineCpu()
    await sleep(ms)
    const after = machineCpu()
    const idle = 1 - (after.busy - before.busy) / (after.total - before.total)
    if (idle >= idleShare || performance.now() > end) return round(idle)
  }
}

export const loadAverage = () => Number(fs.readFileSync('/proc/loadavg', 'utf8').split(' ')[0])

/** What the figures below it were measured on. */
export function machine() {
  const cpus = os.cpus()
  const where = `${cpus.length} cores (${cpus[0]?.model.trim()}), ${Math.round(os.totalmem() / 2 ** 30)} GiB`
  const time = new Date().toISOString().slice(0, 16).replace('T', ' ')
  return `${time}, ${where}, ${os.type()} ${os.release()}, Node ${process.versions.node}, load ${loadAverage()}`
}

/** Over a window: the server's CPU and memory, and how much of the machine others used. */
export function meter(pid) {
  const before = { cpu: cpuSeconds(pid), machine: machineCpu(), own: process.cpuUsage(), at: performance.now() }
  const written = writtenBytes(pid)
  return () => {
    const cpu = cpuSeconds(pid) - before.cpu
    const own = process.cpuUsage(before.own)
    const ownS = (own.user + own.system) / 1e6
    const machine = machineCpu()
    const total = machine.total - before.machine.total
    return {
      wallS: round((performance.now() - before.at) / 1_000),
      cpuS: round(cpu),
      ownCpuS: round(ownS),
      rssMb: rssMb(pid),
      diskWriteMb: round((writtenBytes(pid) - written) / 1e6),
      strangerCpuShare: round(Math.max(0, machine.busy - before.machine.busy - cpu - ownS) / total),
      stealShare: round((machine.steal - before.machine.steal) / total),
    }
  }
}
