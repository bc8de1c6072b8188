import { posix } from 'node:path'

/** Every file of the project by its path from the top; only texts that are read here need their content. */
export type Project = ReadonlyMap<string, string>

const PATH_IN_PROJECT = /^(core|handlers|local-runner|layers|tests|docs|\.ci)(\/[\w.*{},@-]+)*\/?$/
const FENCED = /^```.*?^```$/gms

/** What documents and comments name and the project does not have, as `file: problem`. */
export function documentProblems(project: Project): string[] {
  const folders = foldersOf(project)
  const has = (path: string) => project.has(path) || folders.has(path)
  return [...project].flatMap(([file, text]) => {
    const problems = file.endsWith('.md')
      ? [
          ...missingPaths(text, [...project.keys(), ...folders]),
          ...brokenLinks(file, text, project, has),
          ...missingScripts(text, project),
        ]
      : brokenReferences(text, project)
    return problems.map((problem) => `${file}: ${problem}`)
  })
}

function missingPaths(text: string, known: readonly string[]): string[] {
  const quoted = [...text.replaceAll(FENCED, '').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word)
  return quoted
    .filter((word) => PATH_IN_PROJECT.test(word) && !word.includes('/dist/'))
    .flatMap((word) => alternatives(word.replace(/\/$/, '')))
    .filter((path) => !known.some((one) => matches(path, one)))
    .map((path) => `there is no ${path}`)
}

/** `core/{a,b}/c` → `core/a/c`, `core/b/c`. */
function alternatives(path: string): string[] {
  const [, before = '', list = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? []
  if (list === '') return [path]
  return list.split(',').flatMap((word) => alternatives(`${before}${word}${after}`))
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.includes('*')) return pattern === path
  const source = pattern
    .replaceAll(/[.+]/g, '\\$&')
    .replaceAll(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'))
  return new RegExp(`^${source}$`).test(path)
}

function brokenLinks(file: string, text: string, project: Project, has: (path: string) => boolean): string[] {
  const links = [...text.replaceAll(FENCED, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [name = '', heading] = link.split('#')
      const target = name === '' ? file : posix.join(posix.dirname(file), name)
      return !has(target) || (heading !== undefined && !slugsOf(project.get(target) ?? '').includes(heading))
    })
    .map((link) => `the link ${link} leads nowhere`)
}

function missingScripts(text: string, project: Project): string[] {
  const { scripts = {} } = JSON.parse(project.get('package.json') ?? '{}') as {
    scripts?: Record<string, string>
  }
  return [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)]
    .map(([, name = '']) => name)
    .filter((name) => scripts[name] === undefined)
    .map((name) => `there is no script ${name}`)
}

/** `docs/page.md`, `docs/page.md, "Heading"` and `docs/decisions.md, D12` in comments. */
function brokenReferences(text: string, project: Project): string[] {
  const references = text.matchAll(/\b(docs\/[\w/-]+\.md)(?:, (?:"([^"\n]+)"|(D\d+)))?/g)
  return [...references]
    .filter(([, page = '', heading, decision]) => {
      const target = project.get(page)
      if (target === undefined) return true
      if (decision !== undefined) return !decisionsOf(target).includes(decision)
      return heading !== undefined && !slugsOf(target).includes(slugOf(heading))
    })
    .map(([reference]) => `${reference} is not there`)
}

/** `D1`, `D2`, … as docs/decisions.md has them, in its order. */
export function decisionsOf(text: string): string[] {
  return [...text.matchAll(/^\*\*(D\d+) · /gm)].map(([, number = '']) => number)
}

function slugsOf(text: string): string[] {
  return [...text.replaceAll(FENCED, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading))
}

/** As GitHub makes the anchor of a heading. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function foldersOf(project: Project): Set<string> {
  const folders = new Set<string>()
  for (const path of project.keys())
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) folders.add(folder)
  return folders
}
