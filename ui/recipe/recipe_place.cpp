// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recipe/recipe_place.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/recipe/recipe_json.h"
#include "ui/recipe/check_card.h"
#include "ui/recipe/export_card.h"
#include "ui/recipe/field_binding.h"
#include "ui/recipe/labels.h"
#include "ui/recipe/layers_card.h"
#include "ui/recipe/recipe_files.h"
#include "ui/recipe/recipe_form.h"
#include "ui/recipe/recipe_list.h"
#include "ui/recipe/run_setup.h"
#include "ui/recipe/target_card.h"
#include "ui/widgets/icons.h"

namespace octet::ui {
namespace {

const QString kOfRun = QStringLiteral("run:");
const QString kFirstRecipe = QStringLiteral("preset:hybrid-16");
constexpr int kNarrow = 1'200, kRoomy = 860, kNarrowest = 1'000, kLowest = 600;  // px

QString shortened(const QString& text, qsizetype letters) {
    return text.size() <= letters ? text : text.left(letters - 1) + QChar(0x2026);
}

}  // namespace

RecipePlace::RecipePlace(QWidget* parent)
    : Place(parent),
      m_document(new RecipeDocument(this)),
      m_list(new RecipeList(this)),
      m_form(new RecipeForm(m_document, this)),
      m_target(new TargetCard(m_document, this)),
      m_layers(new LayersCard(m_document, this)),
      m_export(new ExportCard(m_document, this)),
      m_check(new CheckCard(this)),
      m_setup(new RunSetup(this)) {
    buildActions();
    auto* side = new QFrame(this);
    side->setObjectName(QStringLiteral("side"));
    side->setProperty("role", QStringLiteral("side"));
    auto* sideLayout = new QVBoxLayout(side);
    sideLayout->setContentsMargins(0, 0, 0, 0);
    sideLayout->addWidget(m_list);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(side);
    auto* main = new QVBoxLayout;
    main->setContentsMargins(10, 8, 10, 10);
    main->setSpacing(8);
    main->addWidget(buildBar());
    main->addWidget(m_check);
    main->addWidget(buildCentre(), 1);
    main->addWidget(m_setup);
    row->addLayout(main, 1);
    connectParts();
    openRecipe(kFirstRecipe);
}

/// An editor that is open when the window closes still hands its text to the document.
RecipePlace::~RecipePlace() {
    m_document->disconnect(this);
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
}

void RecipePlace::buildActions() {
    const auto make = [this](const QString& icon, const QKeySequence& keys, const char* name) {
        auto* action = new QAction(themedIcon(icon), {}, this);
        action->setObjectName(QString::fromUtf8(name));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
        return action;
    };
    m_undo = make(QStringLiteral("undo"), QKeySequence(Qt::CTRL | Qt::Key_Z), "recipe.undo");
    m_redo = make(QStringLiteral("redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), "recipe.redo");
    m_save = make(QStringLiteral("export"), QKeySequence(Qt::CTRL | Qt::Key_S), "recipe.save");
    m_save->setText(tr("Save"));
    connect(m_undo, &QAction::triggered, m_document, &RecipeDocument::undo);
    connect(m_redo, &QAction::triggered, m_document, &RecipeDocument::redo);
    connect(m_save, &QAction::triggered, this, &RecipePlace::save);
}

QToolButton* RecipePlace::barButton(QAction* action) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(action, &QAction::changed, button, [action, button] { button->setAccessibleName(action->text()); });
    return button;
}

QWidget* RecipePlace::buildBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    FieldEditor* name = makeBoundEditor(recipe::recipeField("name"), m_document, bar);
    FieldEditor* backend = makeBoundEditor(recipe::recipeField("backend"), m_document, bar);
    name->setMinimumWidth(96);
    name->setMaximumWidth(220);
    backend->setFixedWidth(86);
    m_state = dimLabel({}, bar);
    row->addWidget(name, 1);
    row->addWidget(dimLabel(tr("backend"), bar));
    row->addWidget(backend);
    row->addWidget(m_state);
    row->addStretch(1);
    for (QAction* action : {m_undo, m_redo, m_save})
        row->addWidget(barButton(action));
    return bar;
}

QWidget* RecipePlace::buildCentre() {
    const auto splitter = [this](Qt::Orientation orientation, QWidget* first, QWidget* second) {
        auto* split = new QSplitter(orientation, this);
        split->setChildrenCollapsible(false);
        split->setHandleWidth(8);
        split->addWidget(first);
        split->addWidget(second);
        return split;
    };
    QSplitter* middle = m_middle = splitter(Qt::Vertical, m_form, m_layers);
    connect(middle, &QSplitter::splitterMoved, this, [this] { m_isMoved = true; });
    QSplitter* right = splitter(Qt::Vertical, m_target, m_export);
    // Shares of the height; a splitter scales them to the room it gets.
    right->setSizes({500, 500});
    m_rightColumn = new QWidget(this);  // a splitter sets its own largest width
    auto* column = new QVBoxLayout(m_rightColumn);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(right);
    auto* centre = new QWidget(this);
    auto* row = new QHBoxLayout(centre);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(middle, 1);
    row->addWidget(m_rightColumn);
    return centre;
}

void RecipePlace::connectParts() {
    connect(m_list, &RecipeList::chosen, this, &RecipePlace::openRecipe);
    connect(m_list, &RecipeList::fileWanted, this, &RecipePlace::chooseFile);
    connect(m_layers, &LayersCard::outlookChanged, this,
            [this] { m_target->setLayerNotes(m_layers->outlook().notes); });
    connect(m_layers, &LayersCard::reasonShown, this, &Place::statusText);
    connect(m_export, &ExportCard::message, this, &Place::message);
    connect(m_check, &CheckCard::message, this, &Place::message);
    // Without a place of its own: saving asks for one and leaves the other program's file alone.
    connect(m_check, &CheckCard::recipeWanted, this,
            [this](const recipe::Recipe& found) { m_document->open(found, QString()); });
    connect(m_setup, &RunSetup::modelChanged, this,
            [this](const QString& model) { m_layers->setModel(model.toStdString()); });
    connect(m_setup, &RunSetup::runWanted, this, &RecipePlace::run);
    connect(m_setup, &RunSetup::copyWanted, this, &RecipePlace::copyAsCommand);
    connect(m_document, &RecipeDocument::historyChanged, this, &RecipePlace::refreshHead);
    connect(m_document, &RecipeDocument::changed, this, &RecipePlace::refreshHead);
    m_layers->setModel(m_setup->spec().model);
}

void RecipePlace::refreshHead() {
    const qsizetype letters = width() < kNarrow ? 18 : 40;
    const QString undo = m_document->undoText(), redo = m_document->undoStack().redoText();
    m_undo->setEnabled(m_document->canUndo());
    m_undo->setText(undo.isEmpty() ? tr("Undo") : shortened(tr("Undo: %1").arg(undo), letters));
    m_redo->setEnabled(m_document->canRedo());
    m_redo->setText(redo.isEmpty() ? tr("Redo") : shortened(tr("Redo: %1").arg(redo), letters));
    m_undo->setToolTip(undo.isEmpty() ? tr("Nothing to undo (Ctrl+Z)") : tr("Undo: %1 (Ctrl+Z)").arg(undo));
    m_redo->setToolTip(redo.isEmpty() ? tr("Nothing to redo (Ctrl+Shift+Z)") : tr("Redo: %1 (Ctrl+Shift+Z)").arg(redo));
    m_save->setToolTip(tr("Save the recipe as a file (Ctrl+S)"));
    const QString path = m_document->path();
    const bool isOfRun = m_document->reference().startsWith(kOfRun);
    const QString from = isOfRun          ? tr("of run %1").arg(m_document->reference().mid(kOfRun.size()))
                         : path.isEmpty() ? tr("preset")
                                          : QFileInfo(path).fileName();
    m_state->setText(m_document->isEdited() ? tr("%1, edited").arg(from) : from);
    m_list->setCurrent(m_document->reference());
    m_setup->setRecipeIsBaseline(m_document->recipe().backend == recipe::Backend::None);
    emit statusText(m_document->isEdited() ? tr("Unsaved edits") : QString());
}

void RecipePlace::entered() {
    m_list->refresh();
    refreshHead();
}

void RecipePlace::openRecipe(const QString& reference) {
    const bool isPreset = reference.startsWith(QStringLiteral("preset:"));
    const QString place = isPreset ? reference : QFileInfo(reference).absoluteFilePath();
    const auto loaded = recipe::loadRecipe(place.toStdString());
    if (!loaded) {
        m_list->setCurrent(m_document->reference());
        say(loaded.error());
        return;
    }
    m_document->open(loaded->recipe, place);
    if (!isPreset) {
        rememberRecipe(place);
        m_list->refresh();
    }
    QStringList warnings;
    for (const std::string& warning : loaded->warnings)
        warnings << QString::fromStdString(warning);
    if (!warnings.isEmpty()) emit message(warnings.join(u' '), false);
}

void RecipePlace::openRecipeOfRun(const QString& text, const QString& run) {
    const std::string what = "recipe of run " + run.toStdString();
    const auto json = parseJson(text.toStdString(), what);
    const auto loaded = json ? recipe::recipeFromJson(*json, what) : Result<recipe::LoadedRecipe>(json.error());
    if (loaded)
        m_document->open(loaded->recipe, kOfRun + run);
    else
        say(loaded.error());
}

void RecipePlace::checkFile(const QString& path) {
    m_check->check(QFileInfo(path).absoluteFilePath());
}

void RecipePlace::chooseFile() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open recipe"), recipeFolder(), tr("Recipes (*.octet.json *.json)"));
    if (!path.isEmpty()) openRecipe(path);
}

void RecipePlace::save() {
    QString path = m_document->path();
    if (path.isEmpty()) {
        const QString suggested =
            recipeFolder() + u'/' + fileNameOf(m_document->recipe()) + QStringLiteral(".octet.json");
        path = QFileDialog::getSaveFileName(this, tr("Save recipe"), suggested, tr("Recipes (*.octet.json)"));
    }
    if (path.isEmpty()) return;
    if (const auto saved = m_document->saveAs(path); !saved) {
        say(saved.error());
        return;
    }
    rememberRecipe(path);
    m_list->refresh();
    emit message(tr("Saved %1.").arg(path), false);
}

Result<QString> RecipePlace::referenceForRun() {
    if (auto problem = m_document->firstProblem()) return *problem;
    const QString wrong = m_setup->problem();
    if (!wrong.isEmpty()) return Error{ErrorCode::Usage, wrong.toStdString(), {}};
    const bool isNowhere = m_document->reference().startsWith(kOfRun);
    if (!m_document->isEdited() && !isNowhere) return m_document->reference();
    return writeRecipeForRun(m_document->recipe());
}

void RecipePlace::run() {
    const auto reference = referenceForRun();
    if (!reference) {
        say(reference.error());
        return;
    }
    m_setup->keepValues();
    emit wantsTraining(trainArguments(m_setup->specFor(*reference)));
}

void RecipePlace::copyAsCommand() {
    const auto reference = referenceForRun();
    if (!reference) {
        say(reference.error());
        return;
    }
    const std::string flags = recipe::runSpecFlags(m_setup->specFor(*reference));
    QGuiApplication::clipboard()->setText(QStringLiteral("octet-engine train ") + QString::fromStdString(flags));
    emit message(m_document->isEdited() ? tr("Copied the command; the edited recipe is in %1.").arg(*reference)
                                        : tr("Copied the command."),
                 false);
}

void RecipePlace::setMeasuredThroughput(double gflops) {
    if (gflops > 0) m_setup->setThroughput({gflops, true});
}

void RecipePlace::say(const Error& error) {
    emit message(errorText(error), true);
}

QSize RecipePlace::minimumSizeHint() const {
    return {kNarrowest, kLowest};
}

/// All fields in sight, and what is left for the layers, which scroll; never less than a few of them.
void RecipePlace::shareHeight() {
    constexpr int kFewLayers = 196;
    const int room = m_middle->height() - m_middle->handleWidth();
    if (m_isMoved || room <= 0) return;
    const int form = std::min(m_form->wholeHeight(), room - kFewLayers);
    m_middle->setSizes({form, room - form});
}

void RecipePlace::resizeEvent(QResizeEvent* event) {
    Place::resizeEvent(event);
    m_setup->setRoomy(height() >= kRoomy);
    refreshHead();
    m_list->setFixedWidth(std::clamp(width() * 17 / 100, 172, 260));
    m_rightColumn->setFixedWidth(std::clamp(width() * 23 / 100, 252, 460));
    QTimer::singleShot(0, this, &RecipePlace::shareHeight);  // when the layout knows its widths
}

}  // namespace octet::ui
