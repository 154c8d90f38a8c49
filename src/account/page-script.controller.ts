import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access/route-access';

/** In the folder of this file, in `src` and in `dist`. */
const SCRIPT = readFileSync(join(__dirname, 'assets', 'pages.js'), 'utf8');

/** The script of the pages. All pages work without it. */
@Public()
@ApiExcludeController()
@Controller('assets')
export class PageScriptController {
  @Get('pages.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  script(): string {
    return SCRIPT;
  }
}
