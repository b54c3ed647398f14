import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changesOnly, readsOnly, readsPlace, staysInFolders } from './reads-only'

let root: string
let work: string
const git = (folder: string, ...args: string[]) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' })

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'roundhouse-reads-')))
  work = path.join(root, 'work')
  for (const folder of ['work/src', 'work/private', 'outside', 'work/plain'])
    mkdirSync(path.join(root, folder), { recursive: true })
  writeFileSync(path.join(root, 'outside/secret'), 'TOP')
  for (const file of ['a.txt', 'src/b.ts', 'private/c', 'plain/d.txt']) writeFileSync(path.join(work, file), 'text')
  symlinkSync('../outside', path.join(work, 'vendor'))
  symlinkSync('../outside/secret', path.join(work, 'link.txt'))
  mkdirSync(path.join(work, 'dist'))
  symlinkSync('../../outside/secret', path.join(work, 'dist/a.txt'))
  symlinkSync('../../outside/new', path.join(work, 'dist/b.ts'))
  symlinkSync('../.git/config', path.join(work, 'dist/config'))
  writeFileSync(path.join(work, 'config'), 'text')
  symlinkSync('dist', path.join(work, 'built'))
  // It leads to a file of the folder, until it is moved up.
  mkdirSync(path.join(work, 'outside'))
  writeFileSync(path.join(work, 'outside/secret'), 'mine')
  symlinkSync('../outside/secret', path.join(work, 'plain/up'))
  git(root, 'init', '-q', 'work')
  git(work, 'add', 'a.txt')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const around = () => ({
  cwd: work,
  folders: [work],
  roots: [work],
  rules: { denyPaths: [path.join(work, 'private')], agentPlaces: [path.join(root, 'agent')] },
})
const reads = (command: string) => readsOnly(command, around())

describe('[PERM-10.1] nobody is asked about', () => {
  it.each([
    'ls',
    'ls -la src',
    'pwd && ls',
    'cat a.txt',
    'cat a.txt | head -n 20',
    'head -5 src/b.ts; wc -l a.txt',
    'cd src && cat b.ts',
    'sort a.txt | uniq -c',
    'date -u +%F',
    'grep -n text a.txt',
    'grep -rn text src',
    'rg text src',
    "find . -name '*.ts' -type f",
    'cat missing.txt',
    'echo done',
    'git status',
    'git log --oneline -5',
    'git diff a.txt',
    'git show HEAD:a.txt',
    'cat a.txt 2>/dev/null',
  ])('%s', (command) => expect(reads(command)).toBe(true))
})

describe('[PERM-10.5] a person is asked about', () => {
  it.each([
    // What leads out by a link that the repository brought.
    'cat link.txt',
    'cat vendor/secret',
    'ls vendor',
    'cd vendor && cat secret',
    'grep -R text .',
    'grep --dereference-recursive text .',
    'rg -L text .',
    'rg --follow text',
    'diff -r src vendor',
    'diff src plain',
    // What a shell makes of a name.
    'cat *',
    'cat link?txt',
    'cat l[i]nk.txt',
    'cat $HOME/x',
    'cat ~/x',
    'cat `echo a.txt`',
    'cat a.txt\ncat /etc/passwd',
    'cat < /etc/passwd',
    // A folder that is not there, and one that a pipe does not enter: the command behind it runs where it began.
    'cd missing; cat link.txt',
    'cd missing || cat link.txt',
    'cd src | cat link.txt',
    'cd a.txt; ls',
    // Outside, and what is denied.
    'cat ../outside/secret',
    'cat /etc/passwd',
    'cd .. && ls',
    'cat private/c',
    'grep -rn text .',
    'git diff --no-index a.txt /etc/passwd',
    'git diff /etc/passwd a.txt',
    'cat /dev/stdin',
    // What writes, runs or waits.
    'echo x > a.txt',
    'sort -o a.txt a.txt',
    'uniq a.txt b.txt',
    'date 01010000',
    'find . -delete',
    'find . -exec cat {} +',
    'find -L . -name x',
    'git -c core.fsmonitor=./x status',
    'git log --output=x',
    'git diff --ext-diff',
    'git branch new',
    'rg --pre ./x text',
    'tail -f a.txt',
    'npm test',
    'cat a.txt | sh',
    'env',
    'mkdir x',
    'FOO=1 ls',
    '"ls" src',
    './ls',
  ])('%s', (command) => expect(reads(command)).toBe(false))

  it('[POL-4] whatever meets the agent’s own files, also by the name of its folder', () => {
    expect(readsOnly('ls', { ...around(), rules: { agentPlaces: [path.join(work, 'src')] } })).toBe(false)
    expect(readsOnly('cat src/b.ts', { ...around(), rules: { agentPlaces: [path.join(work, 'src')] } })).toBe(false)
  })
})

describe('[PERM-10.4] git is asked about where the repository', () => {
  const copied = (change: (repository: string) => void) => {
    const folder = mkdtempSync(path.join(root, 'copy-'))
    cpSync(work, folder, { recursive: true, verbatimSymlinks: true })
    change(path.join(folder, '.git'))
    return readsOnly('git status', { cwd: folder, folders: [folder], roots: [folder], rules: {} })
  }

  it('names nothing that runs: nobody is asked', () => expect(copied(() => {})).toBe(true))

  it.each([
    ['a monitor', '[core]\n\tfsmonitor = ./x\n'],
    ['a monitor, in other letters', '[CORE]\n\tFsMonitor=./x\n'],
    ['a filter', '[filter "x"]\n\tclean = ./x\n'],
    ['a converter', '[diff "x"]\n\ttextconv = ./x\n'],
    ['an external diff', '[diff]\n\texternal = ./x\n'],
    ['another file', '[include]\n\tpath = ../x\n'],
    ['an editor of an alias', '[alias]\n\tstatus = !./x\n'],
    ['a line that goes on', '[user]\n\tname = a\\\n[core]\n\tfsmonitor = ./x\n'],
    ['two things in one line', '[core] fsmonitor = ./x\n'],
  ])('[PERM-10.4] has %s in its configuration', (_name, text) => {
    expect(copied((repository) => appendFileSync(path.join(repository, 'config'), text))).toBe(false)
  })

  it.each([
    'BISECT_START',
    'shallow',
    'info/grafts',
    'rebase-merge/done',
    'refs/heads/x',
    'worktrees/x/HEAD',
    'a/folder/of/nobody',
  ])('[PERM-10.4] [POL-4.4] has a link at %s, whose target git may print', (name) => {
    const link = (repository: string) => {
      mkdirSync(path.dirname(path.join(repository, name)), { recursive: true })
      symlinkSync(path.join(root, 'outside/secret'), path.join(repository, name))
    }
    expect(copied(link)).toBe(false)
  })

  it('has a hook that reading runs', () => {
    const hook = (repository: string) => {
      mkdirSync(path.join(repository, 'hooks'), { recursive: true })
      writeFileSync(path.join(repository, 'hooks/post-index-change'), '#!/bin/sh\n')
      chmodSync(path.join(repository, 'hooks/post-index-change'), 0o755)
    }
    expect(copied(hook)).toBe(false)
  })

  it('keeps its hooks elsewhere: only where that one is among them', () => {
    const elsewhere = (hook: string) =>
      copied((repository) => {
        appendFileSync(path.join(repository, 'config'), '[core]\n\thooksPath = .husky/_\n')
        mkdirSync(path.join(repository, '../.husky/_'), { recursive: true })
        writeFileSync(path.join(repository, '../.husky/_', hook), '#!/bin/sh\n')
      })
    expect(elsewhere('pre-commit')).toBe(true)
    expect(elsewhere('post-index-change')).toBe(false)
  })

  it('begins above the session’s folder, inside the machine’s roots, or in another work tree of it', () => {
    const folder = path.join(work, 'src')
    expect(readsOnly('git status', { cwd: folder, folders: [folder], roots: [work], rules: {} })).toBe(true)
    expect(readsOnly('git status', { cwd: folder, folders: [folder], roots: [folder], rules: {} })).toBe(false)
    const origin = mkdtempSync(path.join(root, 'origin-'))
    cpSync(work, origin, { recursive: true, verbatimSymlinks: true })
    git(origin, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x')
    git(origin, 'worktree', 'add', '-q', path.join(root, 'tree'))
    const tree = path.join(root, 'tree')
    expect(readsOnly('git status', { cwd: tree, folders: [tree], roots: [root], rules: {} })).toBe(true)
    expect(readsOnly('git status', { cwd: tree, folders: [tree], roots: [tree], rules: {} })).toBe(false)
    appendFileSync(path.join(origin, '.git/config'), '[core]\n\tfsmonitor = ./x\n')
    expect(readsOnly('git status', { cwd: tree, folders: [tree], roots: [root], rules: {} })).toBe(false)
  })

  it('is another one, by a file or a link in place of its folder, or a bare one', () => {
    const instead = (make: (place: string) => void) =>
      copied((repository) => {
        rmSync(repository, { recursive: true })
        make(repository)
      })
    expect(instead((place) => writeFileSync(place, 'gitdir: ../other\n'))).toBe(false)
    expect(instead((place) => symlinkSync('../outside', place))).toBe(false)
    expect(
      instead((place) => {
        writeFileSync(path.join(place, '../HEAD'), 'ref: refs/heads/main\n')
        mkdirSync(path.join(place, '../objects'))
      }),
    ).toBe(false)
  })

  describe('[PERM-10.6] holds a folder that git takes for a repository', () => {
    /** `tools` is what a clone brings: no folder of it is named `.git`. */
    const inTools = (files: Readonly<Record<string, string>>, command: string) => {
      const folder = mkdtempSync(path.join(root, 'clone-'))
      cpSync(work, folder, { recursive: true, verbatimSymlinks: true })
      mkdirSync(path.join(folder, 'tools/below'), { recursive: true })
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, 'tools', file)), { recursive: true })
        writeFileSync(path.join(folder, 'tools', file), text)
      }
      return readsOnly(command, { cwd: folder, folders: [folder], roots: [folder], rules: {} })
    }
    const head = { HEAD: 'ref: refs/heads/main\n' }
    const data = { 'data/config': '[core]\n\tfsmonitor = ./x\n', 'data/objects/k': '', 'data/refs/k': '' }
    const bare = { ...head, 'objects/k': '', 'refs/k': '', config: '[core]\n\tfsmonitor = ./x\n' }

    it.each([
      ['whose objects lie elsewhere', { ...head, ...data, commondir: 'data\n' }],
      ['with its objects', bare],
      ['with a HEAD, and nobody knows', head],
      ['beside a .git that is empty', { ...bare, '.git/k': '' }],
      ['beside a .git whose HEAD is none', { ...bare, '.git/HEAD': 'x', '.git/objects/k': '', '.git/refs/k': '' }],
      ['by a .git that lacks its objects', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/k': '' }],
    ])('%s', (_what, files) => {
      expect(inTools(files, 'cd tools && git status')).toBe(false)
      expect(inTools(files, 'cd tools/below && git status')).toBe(false)
    })

    it('and is asked about nowhere else', () => {
      expect(inTools(bare, 'git status')).toBe(true)
      expect(inTools({ k: '' }, 'cd tools/below && git status')).toBe(true)
    })
  })

  it('brings objects of another repository', () => {
    expect(copied((at) => writeFileSync(path.join(at, 'objects/info/alternates'), '/x\n'))).toBe(false)
    expect(copied((at) => symlinkSync('/x', path.join(at, 'objects/ff')))).toBe(false)
  })

  it('holds another repository, whose own configuration counts there', () => {
    const nested = mkdtempSync(path.join(root, 'nested-'))
    cpSync(work, nested, { recursive: true, verbatimSymlinks: true })
    const inner = path.join(nested, 'inner')
    git(nested, 'init', '-q', 'inner')
    writeFileSync(path.join(inner, 'x'), 'x')
    git(inner, 'add', 'x')
    git(inner, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x')
    git(nested, 'add', 'inner')
    expect(readsOnly('git status', { cwd: nested, folders: [nested], roots: [nested], rules: {} })).toBe(false)
  })
})

describe('[PERM-11.3] [PERM-11.6] in a mode that accepts edits, nobody is asked about', () => {
  it.each([
    'mkdir -p src/new',
    'touch src/new.ts',
    'mv a.txt src/a.txt',
    'cp a.txt b.txt && ls',
    'cp a.txt src/b.ts plain',
    'cp plain/d.txt dist',
  ])('%s', (command) => {
    expect(changesOnly(command, around())).toBe(true)
    expect(reads(command)).toBe(false)
  })

  it.each([
    'mv plain/up here && cat here',
    'mv plain/up a.txt && cp a.txt b.txt',
    'mv plain/up here | cat here',
    'cp -r plain x',
    'touch .git/hooks/x',
    'cp link.txt a.txt',
    'mv a.txt ../outside/a',
    'cp a.txt vendor/a',
    // A link of that name waits in the folder.
    'cp a.txt dist',
    'mv a.txt dist',
    'cp a.txt ./dist/',
    'cp a.txt built',
    'cp src/b.ts dist',
    'cp plain/d.txt a.txt dist',
    'cp config dist',
    'cd dist && cp ../a.txt .',
    'mkdir -p dist && cp a.txt dist',
    'cp -t dist a.txt',
    'cp --target-directory=dist a.txt',
    'ln a.txt dist',
    'install a.txt dist',
    'rm a.txt',
    'cp -L a b',
  ])('but about %s', (command) => expect(changesOnly(command, around())).toBe(false))
})

describe('[PERM-14] a look at a place', () => {
  it.each(['a.txt', 'src', 'src/b.ts', 'missing.txt', 'plain'])('needs nobody: %s', (name) =>
    expect(readsPlace(name, around())).toBe(true),
  )

  it.each(['link.txt', 'vendor', 'vendor/secret', 'private/c', 'private', '.', '..', '/etc/passwd', '/dev/stdin', ''])(
    'needs a person where it leads out, or to what is denied: %s',
    (name) => expect(readsPlace(name, around())).toBe(false),
  )
})

describe('[PERM-11.1] the names behind a rule of the owner stay in the session’s folders', () => {
  it.each(['a.txt src', 'plain/d.txt dist', '--target=src a.txt', 'missing'])('%s', (words) => {
    expect(staysInFolders(words.split(' '), around())).toBe(true)
  })

  it.each(['vendor/secret', 'a.txt dist', 'src/b.ts dist', '-t dist a.txt', '--target=dist a.txt', 'a.txt ..'])(
    'but not: %s',
    (words) => expect(staysInFolders(words.split(' '), around())).toBe(false),
  )
})
