// HTTP as a plain client speaks it: requests over kept-alive connections, and server-sent events.
import http from 'node:http'
import net from 'node:net'
import zlib from 'node:zlib'

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
    server.on('error', reject)
  })
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })

/** The status, the body as it came over the wire, and how long it took. */
export function req(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const data = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const sized = data ? { 'content-type': 'application/json', 'content-length': data.length } : {}
    const options = { method, agent, headers: { 'accept-encoding': 'identity', ...sized, ...headers } }
    const request = http.request(url, options, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const buf = Buffer.concat(parts)
        const plain = () => (answer.headers['content-encoding'] === 'gzip' ? zlib.gunzipSync(buf) : buf).toString()
        resolve({ status: answer.statusCode, buf, ms: performance.now() - begun, json: () => JSON.parse(plain()) })
      })
    })
    request.on('error', reject)
    request.end(data)
  })
}

/** Calls `onData` with the data of each server-sent event. */
export function sse(url, headers, onData) {
  return new Promise((resolve, reject) => {
    const options = {
      headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...headers },
      agent: false,
    }
    const request = http.request(url, options, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`event stream: ${answer.statusCode}`))
      let rest = ''
      answer.setEncoding('utf8').on('error', () => {})
      answer.on('data', (chunk) => {
        const blocks = (rest + chunk).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = dataOf(block)
          if (data) onData(data)
        }
      })
      resolve({ close: () => request.destroy() })
    })
    request.on('error', reject)
    request.end()
  })
}

const dataOf = (block) =>
  block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('')
