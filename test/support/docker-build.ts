import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/*
 * Builds the image of the Dockerfile without Docker. Each stage is a folder, COPY copies the files that git and
 * .dockerignore include, and RUN runs commands in the folder of the stage. Two commands are replaced: `npm ci` links
 * the installed packages instead of downloading them, and `chown` does nothing.
 */

const ROOT = join(__dirname, '../..');

interface Stage {
  /** The folder that serves as the root of the file system. */
  folder: string;
  workdir: string;
  environment: Record<string, string>;
  command: string[];
  healthCheck: string[];
}

type Instruction = readonly [name: string, rest: string];

/** Parses a Dockerfile: `FROM a\nRUN b \\\n  c` -> [['FROM', 'a'], ['RUN', 'b c']] */
export function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const joined = lines.join('\n').replace(/\\\n\s*/g, '');
  return joined.split('\n').map((line) => {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    return [name, rest] as const;
  });
}

/** Compiles a pattern of .dockerignore: `**` matches any number of folders, `*` and `?` match within a name. */
function patternOf(text: string): RegExp {
  const source = text
    .replace(/^\/|\/$/g, '')
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) => {
      const special = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }[part];
      return special ?? part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
    });
  return new RegExp(`^${source.join('')}(?:/|$)`);
}

/** Whether a path is excluded. The last matching pattern decides; a pattern with `!` includes the path again. */
export function isIgnored(path: string, dockerignore: string): boolean {
  const patterns = dockerignore.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const last = patterns.findLast((line) => patternOf(line.trim().replace(/^!/, '')).test(path));
  return last !== undefined && !last.startsWith('!');
}

/** The files tracked by git that .dockerignore does not exclude. */
export function contextFiles(): string[] {
  const dockerignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8');
  const files = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).split('\0');
  return files.filter(
    (file) => file !== '' && existsSync(join(ROOT, file)) && !isIgnored(file, dockerignore),
  );
}

/** A replacement for `npm` whose `npm ci` links or copies the packages that are already installed. */
const NPM = `
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, symlinkSync } = require('node:fs');
const { dirname, join } = require('node:path');
const [command, ...options] = process.argv.slice(2);
if (command !== 'ci') {
  process.exit(spawnSync(process.env.REAL_NPM, process.argv.slice(2), { stdio: 'inherit' }).status ?? 1);
}
if (!options.includes('--ignore-scripts')) {
  throw new Error('Install scripts would run');
}
if (!options.includes('--omit=dev')) {
  symlinkSync(join(process.env.INSTALLED, 'node_modules'), 'node_modules');
  process.exit(0);
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const [path, { dev }] of Object.entries(packages)) {
  const source = join(process.env.INSTALLED, path);
  const isTopLevel = path.split('node_modules/').length === 2;
  if (isTopLevel && !dev && existsSync(source)) {
    mkdirSync(dirname(path), { recursive: true });
    const link = (flags) => spawnSync('cp', [flags, source, path], { stdio: 'ignore' }).status === 0;
    if (!link('-al') && !link('-a')) {
      throw new Error('cp ' + source);
    }
  }
}
`;

/** Builds the image. `build` returns its last stage. */
export class DockerBuild {
  private readonly stages = new Map<string, Stage>();
  private readonly context: string;
  private readonly commands: string;
  private stage: Stage;

  constructor(private readonly folder: string) {
    this.context = join(folder, 'context');
    this.commands = join(folder, 'bin');
  }

  build(): Stage {
    this.copyContext();
    this.writeCommands();
    for (const [name, rest] of instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
      this.perform(name, rest);
    }
    return this.stage;
  }

  private copyContext(): void {
    for (const file of contextFiles()) {
      mkdirSync(dirname(join(this.context, file)), { recursive: true });
      cpSync(join(ROOT, file), join(this.context, file));
    }
  }

  private writeCommands(): void {
    mkdirSync(this.commands, { recursive: true });
    const npm = join(this.commands, 'npm');
    writeFileSync(npm, `#!${process.execPath}${NPM}`);
    const chown = join(this.commands, 'chown');
    writeFileSync(chown, '#!/bin/sh\n');
    [npm, chown].forEach((file) => chmodSync(file, 0o755));
  }

  private perform(name: string, rest: string): void {
    const { stage } = this;
    switch (name) {
      case 'FROM':
        this.begin(rest);
        break;
      case 'WORKDIR':
        stage.workdir = rest;
        mkdirSync(join(stage.folder, rest), { recursive: true });
        break;
      case 'COPY':
        this.copy(rest);
        break;
      case 'RUN':
        this.run(rest);
        break;
      case 'ENV':
        Object.assign(
          stage.environment,
          Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('='))),
        );
        break;
      case 'CMD':
        stage.command = JSON.parse(rest) as string[];
        break;
      case 'HEALTHCHECK':
        stage.healthCheck = JSON.parse(rest.replace(/^.*?CMD /, '')) as string[];
        break;
      case 'USER':
      case 'VOLUME':
      case 'EXPOSE':
        break;
      default:
        throw new Error(`The Dockerfile has an instruction that is not known here: ${name}`);
    }
  }

  /** Begins a stage, such as `FROM base AS build`. External images are empty folders. */
  private begin(rest: string): void {
    const [, base = '', name = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
    const known = this.stages.get(base);
    const folder = join(this.folder, 'stages', name);
    mkdirSync(folder, { recursive: true });
    if (known !== undefined) {
      spawnSync('cp', ['-al', `${known.folder}/.`, folder]);
    }
    this.stage = {
      folder,
      workdir: known?.workdir ?? '/',
      environment: { ...known?.environment },
      command: [],
      healthCheck: [],
    };
    this.stages.set(name, this.stage);
  }

  private copy(rest: string): void {
    const [, from, paths = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
    const origin = from === undefined ? this.context : (this.stages.get(from)?.folder ?? '');
    const sources = paths.split(' ');
    const target = resolve(join(this.stage.folder, this.stage.workdir), sources.pop() ?? '');
    const isFolder = paths.endsWith('/') || sources.length > 1;
    for (const source of sources) {
      const path = join(origin, source);
      const name = path.slice(path.lastIndexOf('/') + 1);
      const entries = source === '.' ? readdirSync(path) : [''];
      mkdirSync(isFolder ? target : dirname(target), { recursive: true });
      for (const entry of entries) {
        this.link(join(path, entry), isFolder ? join(target, name) : join(target, entry));
      }
    }
  }

  private link(source: string, target: string): void {
    const { status, stderr } = spawnSync('cp', ['-al', source, target], { encoding: 'utf8' });
    if (status !== 0) {
      throw new Error(`COPY ${source}: ${stderr}`);
    }
  }

  private run(command: string): void {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: join(this.stage.folder, this.stage.workdir),
      env: { ...this.environment(), REAL_NPM: realNpm(), INSTALLED: ROOT },
      encoding: 'utf8',
    });
    if (status !== 0) {
      throw new Error(`RUN ${command}\n${stdout}${stderr}`);
    }
  }

  /** The environment of commands in the stage. They inherit only `PATH`. */
  environment(): Record<string, string> {
    const path = [this.commands, dirname(process.execPath), process.env.PATH].join(':');
    return { ...this.stage.environment, PATH: path, HOME: this.folder };
  }
}

const realNpm = (): string => execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
