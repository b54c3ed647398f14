/**
 * The machine's own files under names that a shell, a link or a mount makes of them, and the socket of a session's host with
 * somebody in between. The hub says yes to everything.
 */
import {
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { yesToAll } from '../support/browser/yes-to-all'
import { repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
const { events, ends, sayYesToAll, endsOf, refusal } = yesToAll(() => rig)
let root: string
let home: string
let agentId: string

beforeAll(async () => {
  rig = await startRig()
  root = realpathSync(rig.system.workDir)
  home = realpathSync(rig.system.agent.home)
  agentId = (await rig.rest.agents()).items[0]?.agentId ?? ''
  const { agent, around } = rig.system
  const rights = { maxSandbox: 'full-access', trustProjectConfig: true }
  agent.writePolicy({ roots: [root], envAllow: around.envAllow, backends: { scripted: {} }, ...rights })
  for (const folder of ['chain', 'with space', 'plain']) mkdirSync(inRoot(folder))
  for (const [name, to] of Object.entries({
    a: 'chain/b',
    'chain/b': '../c',
    c: home,
    '-dash': inRoot('c'),
    'with space/in': home,
    'no\u00a0break': home,
    'odd\vtab': home,
    slash: '/',
  }))
    symlinkSync(to, inRoot(name))
  symlinkSync(path.join(home, 'config/policy.json'), inRoot('mcp-link.json'))
})
afterAll(() => rig.dispose())

const inRoot = (...parts: string[]) => path.join(root, ...parts)
const policyFile = () => path.join(home, 'config/policy.json')
const bash = (command: string) => ({ tool: 'Bash', input: { command } })
const write = (file_path: string) => ({ tool: 'Write', input: { file_path, content: '{}' } })

/** Many calls, in a few sessions at once. */
async function endsOfMany(calls: readonly object[]): Promise<string[]> {
  const parts = Array.from({ length: Math.ceil(calls.length / 25) }, (_, i) => calls.slice(i * 25, (i + 1) * 25))
  return (await Promise.all(parts.map((part) => endsOf(part)))).flat()
}

/** Each leads a real shell or program to the policy or the sockets, without a word that the machine could not know. */
function commands(): string[] {
  const [dir, base, file] = [path.dirname(home), path.basename(home), policyFile()]
  const hex = [...file].map((letter) => `\\x${letter.charCodeAt(0).toString(16)}`).join('')
  const agent = rig.system.agent.pid
  const socket = path.join(home, 'state/run/x.sock')
  const main = path.join(repoRoot, 'apps/agent/dist/main.js')
  return [
    // quotes and words
    'cat no\u00a0break/config/policy.json',
    'cat odd\vtab/config/policy.json',
    'cat <<\\\nX\nX\ncat no""\u00a0break/config/policy.json',
    `cat $'${hex}'`,
    `cat $'${file.replace('/config', '\\057config')}'`,
    `cat $"${file}"`,
    `cat ${home}/con\\\nfig/policy.json`,
    `cat ${home}/{config,state}/policy.json`,
    `cat ${dir}/{x,${base}}/config/policy.json`,
    `cat ${dir}/${base.slice(0, -1)}{${base.at(-1)}..${base.at(-1)}}/config/policy.json`,
    `D=${home}; cat $D/config/policy.json`,
    `cat\${IFS}${file}`,
    `a=(${home} x); cat "\${a[0]}/config/policy.json"`,
    `true\ncat ${file}`,
    `cat\t${file}`,
    // commands inside commands
    `bash -c 'cat '"'"'${file}'"'"`,
    `bash -c "sh -c 'cat ${file}'"`,
    `timeout 5 bash -lc 'cd ${dir}; cat ${base}/config/policy.json'`,
    `eval "cat ${file}"`,
    `eval cat ${dir}/"${base}"/config/policy.json`,
    `sh <<EOF\ncat ${file}\nEOF`,
    `cat <(cat ${file})`,
    `echo ${file} | xargs cat`,
    `f() { cat "$1"; }; f ${file}`,
    `trap 'cat ${file}' EXIT`,
    `python3 -c "print(open('${file}').read())"`,
    `awk 'BEGIN{while((getline l < "${file}")>0) print l}'`,
    // where a command goes first
    `pushd ${dir}; cat ${base}/config/policy.json`,
    `cd ${dir}; cd ${base}; cat config/policy.json`,
    `cd ${dir} || true; cat ${base}/config/policy.json`,
    `(cd ${dir} && cat ${base}/config/policy.json)`,
    `env -C ${dir} cat ${base}/config/policy.json`,
    `tar -C ${dir} -cf o.tar ${base}`,
    `git -C ${dir} diff --no-index /dev/null ${base}/config/policy.json`,
    // links, mounts and other names of the same place
    `cat a/config/policy.json`,
    `cat -- -dash/config/policy.json`,
    `cat "with space/in/config/policy.json"`,
    `cat slash${file}`,
    `cat chain/../c/config/policy.json`,
    `cat ${file.replaceAll('/', '/./')}`,
    `cat /${file.replaceAll('/', '//')}`,
    `cat ~+/c/config/policy.json`,
    `cat /proc/${agent}/cwd/config/policy.json`,
    `cat /proc/${agent}/task/${agent}/cwd/config/policy.json`,
    `cat /proc/self/root${file}`,
    `cat /proc/self/cwd/${path.relative(root, file)}`,
    `cat /proc/thread-self/root${file}`,
    // patterns
    `cat ${dir}/${base.slice(0, -1)}?/config/policy.json`,
    `cat ${dir}/[${base[0]}]${base.slice(1)}/config/policy.json`,
    `cat ${dir}/@(${base})/config/policy.json`,
    // what programs make of their words
    `curl file://localhost${file}`,
    `curl file://${file.replace('policy', '%70olicy')}`,
    `curl -F 'x=@"${file}"'`,
    `curl -F 'x=<${file};type=text/plain'`,
    `git -c core.hooksPath=${home}/config status`,
    `GIT_DIR=${home} git status`,
    `LD_PRELOAD=${home}/x.so ls`,
    `dd of=${file} if=x`,
    `sed -n '1e cat ${file}' x`,
    `mount -o lowerdir=${home},upperdir=x`,
    `docker run --mount type=bind,source=${home},target=/x img`,
    `sqlite3 x "ATTACH '${home}/state/index.db' AS y"`,
    `nc -U ${socket}`,
    `socat - UNIX-CONNECT:${socket},forever`,
    `env -u ROUNDHOUSE_SESSION node ${main} allow /etc`,
    // redirects
    `echo x &>${file}`,
    `echo x >|${file}`,
    `cat <>${file}`,
    `exec {fd}>${file}`,
    `exec 9<${file}; cat /dev/fd/9`,
  ]
}

/** Each holds a word that only the shell will know, or a folder around the files. */
function unsettled(): string[] {
  const [dir, base] = [path.dirname(home), path.basename(home)]
  return [
    `cat \${NOPE:-${home}}/config/policy.json`,
    `export D=${dir}; cat $D/${base}/config/policy.json`,
    `read D <<< ${dir}; cat $D/${base}/config/policy.json`,
    `ln -s ${dir} l && cat l/${base}/config/policy.json`,
    `cp -r ${dir} x`,
    `cp -r ${root}/.. x`,
    `cat ${dir}/!(x)/config/policy.json`,
    `cat /proc/[0-9]*/cwd/config/policy.json`,
    `cd ${dir}; cd -; cat ~-/${base}/config/policy.json`,
  ]
}

describe("the machine's own files", () => {
  it('[T91] [POL-4.3] are refused under every name that a shell and its programs make of them', async () => {
    const named = commands()
    const found = await endsOfMany(named.map(bash))
    expect(found.map((end, i) => [named[i], end])).toEqual(named.map((command) => [command, 'refused agentHome']))
  })

  it('[T92] [POL-4.7] are never behind a word that nobody knows without a line that says so', async () => {
    const asked = unsettled()
    const found = await endsOfMany(asked.map(bash))
    expect(found.map((end, i) => [asked[i], end])).toEqual(asked.map((command) => [command, 'applied noted']))
  })

  it('[T91] [POL-4] are refused in keys, lists and depths of what a tool is given', async () => {
    const file = policyFile()
    const inputs = [
      { files: { [file]: 'x' } },
      { a: [{ b: [[{ c: file }]] }] },
      { url: `file://localhost${file}` },
      { uri: `file:///${file}` },
      { notebook_path: file },
      { FILE: file },
      { argv: ['cat', file] },
      { command: ['bash', '-lc', `cat ${file}`] },
      { cmd: `cat ${file}` },
      { script: `cat ${file}` },
      { cwd: home, cmd: 'ls' },
      { cwd: 'c/config', command: 'cat policy.json' },
      { pattern: `${home}/**` },
      { file_path: `${root}/./c/../c/config/policy.json` },
      { dir: home, file: 'x' },
    ]
    const found = await endsOfMany(inputs.map((input) => ({ tool: 'Write', input })))
    expect(found.map((end, i) => [inputs[i], end])).toEqual(inputs.map((input) => [input, 'refused agentHome']))
  })

  it('[A25] [A42] [PERM-8] are not reached by what becomes a link between question and answer, nor under a standing permission', async () => {
    const before = readFileSync(policyFile(), 'utf8')
    const swapped: Array<[object, () => void]> = [
      [
        write('plain/a.json'),
        () => {
          rmSync(inRoot('plain/a.json'))
          symlinkSync(policyFile(), inRoot('plain/a.json'))
        },
      ],
      [
        write('moved/policy.json'),
        () => {
          renameSync(inRoot('moved'), inRoot('moved-away'))
          symlinkSync(path.join(home, 'config'), inRoot('moved'))
        },
      ],
    ]
    mkdirSync(inRoot('moved'))
    for (const name of ['plain/a.json', 'moved/policy.json', 'plain/g.json']) writeFileSync(inRoot(name), 'plain')
    for (const [call, swap] of swapped) {
      const sessionId = await rig.begin([call, { text: 'Done.' }], { sandbox: 'full-access' })
      const ask = await rig.asked(sessionId)
      swap()
      await rig.allow(ask).catch(() => {})
      await sayYesToAll(sessionId)
      expect(ends(sessionId)).not.toContain('applied')
    }
    const sessionId = await rig.begin([write('plain/g.json'), { text: 'First.' }], { sandbox: 'full-access' })
    const { requestId, digest } = await rig.asked(sessionId)
    await rig.rest.decide(requestId, { decision: 'allow_session', digest })
    await until('the first turn', () => events(sessionId).some(({ kind }) => kind === 'turn_completed'))
    rmSync(inRoot('plain/g.json'))
    symlinkSync(policyFile(), inRoot('plain/g.json'))
    await rig.prompt(sessionId, [write('plain/g.json'), { text: 'Second.' }])
    await until('the second turn', () => events(sessionId).filter(({ kind }) => kind === 'turn_completed').length === 2)
    expect(ends(sessionId)).toEqual(['applied', 'refused agentHome'])
    expect(readFileSync(policyFile(), 'utf8')).toBe(before)
  })

  it('[T61] [POL-4.8] are no folder and no configuration by any link, and no list of folders shows them', async () => {
    const own = [
      { workDir: inRoot('a/config') },
      { workDir: inRoot('slash', home) },
      { workDir: `/proc/${rig.system.agent.pid}/cwd` },
      { additionalDirs: [inRoot('a')] },
      { mcpConfigPath: inRoot('mcp-link.json') },
      { mcpConfigPath: `/proc/self/root${policyFile()}` },
    ]
    expect(await Promise.all(own.map(refusal))).toEqual(own.map(() => 'POLICY_DENIED'))
    const around = [
      { workDir: path.dirname(home) },
      { workDir: inRoot('slash') },
      { additionalDirs: [inRoot('slash')] },
      { additionalDirs: [`${root}/../`] },
      { additionalDirs: [`${home}-scratch`] },
    ]
    expect(await Promise.all(around.map(refusal))).toEqual(around.map(() => 'PATH_NOT_ALLOWED'))
    for (const folder of [home, inRoot('a'), inRoot('a/config'), `${root}/../`, inRoot('slash')])
      await expect(rig.rest.folders(agentId, folder)).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' })
  })

  it('[POL-4.8] [T91] are no configuration of servers by a hard link', async () => {
    for (const file of ['config/policy.json', 'state/identity.json']) {
      const name = inRoot(`hard-${path.basename(file)}`)
      linkSync(path.join(home, file), name)
      expect([file, await refusal({ mcpConfigPath: name })]).toEqual([file, 'POLICY_DENIED'])
    }
  })

  it('[POL-4] [T91] are not named in full in what a tool of a server is given without a refusal or a line that says so', async () => {
    writeFileSync(inRoot('mcp.json'), JSON.stringify({ mcpServers: { fs: { command: 'true', args: [] } } }))
    const file = policyFile()
    const inputs = [
      { argv: ['bash', '-lc', `cat ${file}`] },
      { args: ['-c', `cat ${file}`] },
      { code: `open('${file}')` },
      { sql: `select readfile('${file}')` },
      { paths: `x\n${file}` },
      { paths: `x,${file}` },
      { path: ` ${file}` },
      { json: JSON.stringify({ f: file }) },
      { uri: `vscode-file://x${file}` },
    ]
    const found = await endsOf(
      inputs.map((input) => ({ tool: 'mcp__fs__tool', input })),
      { mcpConfigPath: inRoot('mcp.json') },
    )
    const silent = inputs.filter((_input, i) => found[i] === 'applied')
    expect(silent).toEqual([])
  })
})

describe('the socket of a host', () => {
  it('[RES-1.9] whoever stands in between says nothing of what was said before, nothing twice and nothing of their own', async () => {
    const sessionId = await rig.begin([write('socket.txt'), { text: 'Done.' }])
    const ask = await rig.asked(sessionId)
    const record = path.join(rig.system.agent.sessionFolder(sessionId), 'host.json')
    const said = readFileSync(record, 'utf8')
    const real = (JSON.parse(said) as { sock: string }).sock
    await rig.system.agent.kill()
    // The host takes its own place back; so the daemon is told of another one.
    const ours = `${real}.ours`
    writeFileSync(record, JSON.stringify({ ...JSON.parse(said), sock: ours }))
    const pairs: Array<{ said: string[]; answered: string[]; host: Socket; daemon: Socket }> = []
    const between = createServer((daemon) => {
      const pair = { said: [] as string[], answered: [] as string[], host: connect(real), daemon }
      pairs.push(pair)
      daemon
        .on('data', (data) => {
          pair.said.push(String(data))
          pair.host.write(data)
        })
        .on('error', () => {})
        .on('close', () => pair.host.destroy())
      pair.host
        .on('data', (data) => {
          pair.answered.push(String(data))
          daemon.write(data)
        })
        .on('error', () => {})
        .on('close', () => daemon.destroy())
    })
    await new Promise<void>((resolve) => between.listen(ours, resolve))
    rig.system.agent.launch()
    const live = await until('the daemon to speak through us', () =>
      pairs.find(({ said, host }) => said.length > 2 && !host.destroyed),
    )
    /** Straight to the host, until it hangs up. */
    const heard = (lines: readonly string[]) =>
      new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(real, () => {
          for (const line of lines) socket.write(line)
        })
        socket
          .on('data', (data) => (text += data))
          .on('error', () => {})
          .once('close', () => resolve(text))
      })
    const [auth = '', ...rest] = live.said
    const proofOfHost = JSON.parse(live.answered[0] ?? '{}').proof
    const openings = [
      live.said,
      [auth, `${JSON.stringify({ type: 'proof', proof: proofOfHost })}\n`],
      [auth, ...rest.slice(1)],
      rest.slice(1),
      [`${JSON.stringify({ type: 'auth', nonce: JSON.parse(live.answered[0] ?? '{}').nonce })}\n`, ...rest],
    ]
    for (const lines of openings) expect(await heard(lines)).not.toContain('hello')
    // What the host proves to one who asks with its own nonce is no proof to itself.
    const reflected = await new Promise<string>((resolve) => {
      let text = ''
      const first = connect(real, () => first.write(auth))
      first
        .on('error', () => {})
        .once('data', (data) => {
          const { nonce } = JSON.parse(String(data))
          const second = connect(real, () => second.write(`${JSON.stringify({ type: 'auth', nonce })}\n`))
          second
            .on('error', () => {})
            .once('data', (answer) => {
              first.on('data', (more) => (text += more)).once('close', () => resolve(text))
              first.write(`${JSON.stringify({ type: 'proof', proof: JSON.parse(String(answer)).proof })}\n`)
              second.destroy()
            })
        })
    })
    expect(reflected).not.toContain('hello')
    // On the live connection: a line twice, then one in the other direction.
    const closed = new Promise((resolve) => live.host.once('close', resolve))
    live.host.write(live.said.at(-1) ?? '')
    await closed
    const next = await until('the daemon to come back', () =>
      pairs.find((pair) => pair !== live && pair.said.length > 2 && !pair.host.destroyed),
    )
    const gone = new Promise((resolve) => next.daemon.once('close', resolve))
    next.daemon.write(next.answered.at(-1) ?? '')
    await gone
    between.close()
    for (const { host, daemon } of pairs) for (const one of [host, daemon]) one.destroy()
    writeFileSync(record, said)
    await rig.rest.decide(ask.requestId, { decision: 'allow', digest: ask.digest })
    await until('the turn to end', () => events(sessionId).some(({ kind }) => kind === 'turn_completed'))
    expect(ends(sessionId)).toEqual(['applied'])
  })
})
