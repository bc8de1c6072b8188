import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '@lantern-room/base/settings'
import launchers from './launchers.json'

const MAX_FOLDERS = 100

/** Launchers keep the folders of their games below the user's own folders; the game is in the folder itself or in one of those. */
export async function gameFolders(
  game: string,
  env: Environment,
  platform: NodeJS.Platform,
): Promise<readonly string[]> {
  const roots = new Set([join(game, '..'), ...dataFolders(env, platform), homedir()])
  const instances = await Promise.all(
    [...roots].flatMap((root) => launchers.instances.map((path) => foldersIn(join(root, ...path)))),
  )
  const all = instances.flat().flatMap((folder) => launchers.gameFolders.map((name) => join(folder, name)))
  return [game, ...all]
}

function dataFolders(env: Environment, platform: NodeJS.Platform): readonly string[] {
  if (platform !== 'linux') return [join(homedir(), 'Documents')]
  const flatpak = join(homedir(), '.var', 'app', 'org.prismlauncher.PrismLauncher', 'data')
  return [env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), flatpak]
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.slice(0, MAX_FOLDERS).map((name) => join(folder, name))
}
